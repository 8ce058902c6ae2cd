/** The engine in this process: commands make the requests that the editor makes of its own. */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createEngine, handle, type Engine, type EngineOptions } from '../engine/engine.ts';
import { LABELS_FILE } from '../shared/config.ts';
import type { CorpusRef, EngineConfig } from '../shared/requests/configuration.ts';
import type { EngineMethod, Params, ProgressNote, Result } from '../shared/rpc.ts';
import { keysFromEnvironment } from './options/read-config.ts';
import { paidFolder, type Models } from './store-manifest.ts';
import type { Io } from './presentation/terminal.ts';

/** Folders with passages and answers are closed to other users of the machine. */
export const OWNER_ONLY = 0o700;

export interface LocalEngineOptions {
  /** The folder that relative paths start from; absolute. */
  readonly base: string;
  /** The store whose answers of models are kept; they are forgotten when left out. */
  readonly storage?: string | undefined;
  readonly corpora?: readonly CorpusRef[];
  readonly models: Models;
  /** People's labels; those of the base when left out, none where it is null. */
  readonly labelsFile?: string | null;
}

/** The configuration of an engine that is trusted with all that is named in it, and searches exactly. */
export function engineConfig(options: LocalEngineOptions): EngineConfig {
  const { base, storage, corpora = [], models, labelsFile = path.join(base, LABELS_FILE) } = options;
  const generator = models.generator ?? models.judge;
  return {
    storage: storage === undefined ? ':memory:' : path.resolve(storage),
    base,
    // Who runs the command line on a configuration trusts it.
    trusted: true,
    corpora,
    embedders: models.embedders,
    judges: models.judges,
    ...(generator === undefined ? {} : { generator }),
    keys: keysFromEnvironment(process.env),
    ...(labelsFile === null ? {} : { labelsFile }),
    // The same figures on every machine.
    approximateAbove: Number.MAX_SAFE_INTEGER,
  };
}

type NotedProgress = Extract<ProgressNote, { type: 'progress' }>['progress'];

export interface LocalWork {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: NotedProgress) => void) | undefined;
  readonly onNote?: ((note: ProgressNote) => void) | undefined;
}

/** Its files are closed with the block in which it is opened: `await using`. */
export class LocalEngine implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #temporary: string | undefined;
  #labelsFile: string | undefined;

  private constructor(engine: Engine, temporary: string | undefined) {
    this.#engine = engine;
    this.#temporary = temporary;
  }

  /**
   * @param temporary a folder that is removed when the engine is closed
   * @param replaced for tests
   * @throws ParallaxError `store-unusable`
   */
  static async open(
    options: LocalEngineOptions,
    io: Io,
    temporary?: string,
    replaced?: EngineOptions,
  ): Promise<LocalEngine> {
    const engine = createEngine(undefined, (message) => io.stderr(`${message}\n`), replaced);
    const local = new LocalEngine(engine, temporary);
    await local.configure(options);
    return local;
  }

  /** From here on, these options are in force. @throws ParallaxError `store-unusable` */
  async configure(options: LocalEngineOptions): Promise<void> {
    const storage = options.storage && (await paidFolder(path.resolve(options.storage)));
    if (storage !== undefined) await mkdir(storage, { recursive: true, mode: OWNER_ONLY });
    const config = engineConfig({ ...options, storage });
    this.#labelsFile = config.labelsFile;
    await this.#engine.configure(config);
  }

  /** The file of people's labels, relative to the working directory; nothing where nobody has given any. */
  get labels(): string | undefined {
    const file = this.#labelsFile;
    return file !== undefined && existsSync(file) ? path.relative(process.cwd(), file) : undefined;
  }

  /** @throws ParallaxError as the request says */
  request<M extends EngineMethod>(method: M, params: Params<M>, work: LocalWork = {}): Promise<Result<M>> {
    const { signal = new AbortController().signal, onProgress, onNote } = work;
    const report = (note: ProgressNote): void => {
      if (note.type === 'progress') onProgress?.(note.progress);
      onNote?.(note);
    };
    return handle(this.#engine, method, params, { signal, report });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }
}

/**
 * A file that was named from the working directory, as requests take it: relative to the engine's folder, so that
 * errors name it as it was given, or absolute where that is another folder.
 */
export function fileFor(base: string, file: string): string {
  return base === process.cwd() ? file : path.resolve(file);
}
