/** The engine in this process. Commands make the same requests as the editor. */
import { constants, existsSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../core/errors.ts';
import { createEngine, handle, type Engine, type EngineOptions } from '../engine/engine.ts';
import { removeTemporaryFolder } from '../engine/store/temporary-folder.ts';
import { LABELS_FILE } from '../shared/config.ts';
import type { CorpusRef, EngineConfig } from '../shared/requests/configuration.ts';
import type { Allowance } from '../shared/requests/spending.ts';
import type { EngineMethod, Params, ProgressNote, Result } from '../shared/rpc.ts';
import { answersFolder } from './kept-answers.ts';
import { keysFromEnvironment } from './options/read-config.ts';
import { paidFolder, type Models } from './store-manifest.ts';
import type { Io } from './presentation/terminal.ts';

/** Folders with passages and answers are not accessible to other users of the machine. */
export const OWNER_ONLY = 0o700;

export interface LocalEngineOptions {
  /** The folder that relative paths start from; absolute. */
  readonly base: string;
  /** The store whose cached answers are used. Defaults to those of the workspace (kept-answers.ts). */
  readonly storage?: string | undefined;
  readonly corpora?: readonly CorpusRef[];
  readonly models: Models;
  /** The file of human labels. Defaults to that of `base`; `null` for none. */
  readonly labelsFile?: string | null;
}

/** The configuration of an engine that trusts everything named in it, and searches exactly. */
export function engineConfig(
  options: LocalEngineOptions & { readonly answers?: string | undefined },
): EngineConfig {
  const { base, storage, answers, corpora = [], models, labelsFile = path.join(base, LABELS_FILE) } = options;
  const generator = models.generator ?? models.judge;
  return {
    storage: storage === undefined ? ':memory:' : path.resolve(storage),
    ...(answers === undefined ? {} : { answers }),
    // An index that --store keeps has the vectors of its passages.
    ...(answers === undefined && storage === undefined
      ? {}
      : { keptVectors: answers === undefined ? 'queries' : 'all' }),
    base,
    // Running the command line on a configuration implies trust in it.
    trusted: true,
    corpora,
    embedders: models.embedders,
    judges: models.judges,
    ...(generator === undefined ? {} : { generator }),
    keys: keysFromEnvironment(process.env),
    ...(labelsFile === null ? {} : { labelsFile }),
    // Exact search, so that figures are the same on every machine.
    approximateAbove: Number.MAX_SAFE_INTEGER,
  };
}

type NotedProgress = Extract<ProgressNote, { type: 'progress' }>['progress'];

export interface LocalWork {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: NotedProgress) => void) | undefined;
  readonly onNote?: ((note: ProgressNote) => void) | undefined;
  /** Limits the requests to models. Defaults to no limit. */
  readonly allowance?: Allowance | undefined;
}

/** Closed at the end of its block with `await using`. */
export class LocalEngine implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #temporary: string | undefined;
  readonly #warn: (message: string) => void;
  #labelsFile: string | undefined;

  private constructor(engine: Engine, warn: (message: string) => void, temporary: string | undefined) {
    this.#engine = engine;
    this.#warn = warn;
    this.#temporary = temporary;
  }

  /**
   * @param temporary a folder to remove when the engine is closed
   * @param replaced for tests
   * @param host answers for models that this process does not reach itself
   * @throws ParallaxError `store-unusable`
   */
  static async open(
    options: LocalEngineOptions,
    io: Io,
    temporary?: string,
    replaced?: EngineOptions,
    host?: Parameters<typeof createEngine>[0],
  ): Promise<LocalEngine> {
    const warn = (message: string): void => io.stderr(`${message}\n`);
    const local = new LocalEngine(createEngine(host, warn, replaced), warn, temporary);
    await local.configure(options);
    return local;
  }

  /** Replaces the options. @throws ParallaxError `store-unusable` */
  async configure(options: LocalEngineOptions): Promise<void> {
    const storage = options.storage && (await paidFolder(path.resolve(options.storage)));
    if (storage !== undefined) await mkdir(storage, { recursive: true, mode: OWNER_ONLY });
    const answers = storage === undefined ? await this.#answersOf(options) : undefined;
    const config = engineConfig({ ...options, storage, answers });
    this.#labelsFile = config.labelsFile;
    await this.#engine.configure(config);
  }

  /**
   * The folder of cached answers. `undefined` for a workspace without models, and if the folder is not writable; models
   * are then asked again.
   */
  async #answersOf({ base, models }: LocalEngineOptions): Promise<string | undefined> {
    const asksModels =
      Object.keys(models.judges).length > 0 ||
      Object.values(models.embedders).some(({ type }) => type === 'openai');
    const folder = asksModels ? answersFolder(base) : undefined;
    if (folder === undefined) return undefined;
    try {
      await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
      await access(folder, constants.W_OK);
      return folder;
    } catch (error) {
      this.#warn(
        `Answers of models are not kept: ${messageOf(error)}. Give --store a folder that can be written.`,
      );
      return undefined;
    }
  }

  /** The file of human labels, relative to the working directory. `undefined` if there are no labels. */
  get labels(): string | undefined {
    const file = this.#labelsFile;
    return file !== undefined && existsSync(file) ? path.relative(process.cwd(), file) : undefined;
  }

  /** @throws ParallaxError the errors of the request */
  request<M extends EngineMethod>(method: M, params: Params<M>, work: LocalWork = {}): Promise<Result<M>> {
    const { signal = new AbortController().signal, onProgress, onNote, allowance } = work;
    const report = (note: ProgressNote): void => {
      if (note.type === 'progress') onProgress?.(note.progress);
      onNote?.(note);
    };
    return handle(this.#engine, method, params, {
      signal,
      report,
      onRequest: allowance && (() => allowance.take()),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
    if (this.#temporary !== undefined) await removeTemporaryFolder(this.#temporary);
  }
}

/**
 * Converts a path relative to the working directory for requests: unchanged if that is the engine's folder, so that
 * errors name it as given, else absolute.
 */
export function fileFor(base: string, file: string): string {
  return base === process.cwd() ? file : path.resolve(file);
}
