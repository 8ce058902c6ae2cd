/** The programs of a folder, which are searched for calls. */
import { glob, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AgentWorkspace } from '../features/agents/tools/host.ts';
import {
  FOREIGN_FOLDERS,
  MAX_PROGRAM_BYTES,
  namedProgram,
  notInWorkspace,
  PROGRAM_FILES,
  programOf,
  type Program,
} from '../features/agents/tools/programs.ts';
import { messageOf, ParallaxError, throwIfCancelled } from '../core/errors.ts';
import { readText } from '../engine/files/reading.ts';
import { MAX_PROGRAMS } from '../sites/limits.ts';
import { Neighbours } from '../sites/workspace/neighbours.ts';
import type { SiteThread } from '../site-thread/site-thread.ts';
import { openSiteThread } from './site-parser.ts';

export class FolderPrograms {
  /** Runs in a thread, so that no program can block a server. It ends with the process. */
  readonly detector: SiteThread;
  readonly #base: string;

  /**
   * @param base absolute
   * @param log called for programs that were given up
   */
  constructor(base: string, log: (message: string) => void = () => undefined) {
    this.#base = base;
    this.detector = openSiteThread(log);
  }

  async *programs(file: string | undefined, signal: AbortSignal | undefined): AsyncIterable<Program> {
    if (file !== undefined) {
      const place = await this.#placeOf(file);
      const text = await readText(place, { boundary: this.#base }).catch((error: unknown) => {
        throw new ParallaxError('bad-file', `${file} cannot be read: ${messageOf(error)}.`);
      });
      yield namedProgram(this.#relative(place), text);
      return;
    }
    for (const name of await this.#programFiles(signal)) {
      throwIfCancelled(signal);
      const text = await this.#read(name);
      const program = text === undefined ? undefined : programOf(name, text);
      if (program) yield program;
    }
  }

  /** Reads the files on every call, like `workspace`. */
  neighbours({ rules }: Pick<AgentWorkspace, 'rules'>): Neighbours {
    let files: Promise<ReadonlySet<string>> | undefined;
    return new Neighbours({
      files: () => (files ??= this.#programFiles(undefined).then((names) => new Set(names))),
      read: (file) => this.#read(file),
      exports: (text, languageId, { file }) => this.detector.exports(text, languageId, { rules, file }),
      callers: (...args) => this.detector.callers(...args),
    });
  }

  /** Sorted paths relative to the folder of parallax.json, with slashes. */
  async #programFiles(signal: AbortSignal | undefined): Promise<readonly string[]> {
    const isForeign = (name: string): boolean => FOREIGN_FOLDERS.includes(path.basename(name));
    const files: string[] = [];
    for await (const name of glob(PROGRAM_FILES, { cwd: this.#base, exclude: isForeign })) {
      throwIfCancelled(signal);
      if (files.push(name.replaceAll(path.sep, '/')) === MAX_PROGRAMS) break;
    }
    return files.sort();
  }

  /** @throws ParallaxError `not-found` for a file that does not exist or is outside the folder of parallax.json */
  async #placeOf(file: string): Promise<string> {
    const place = await realpath(path.resolve(this.#base, file)).catch(() => undefined);
    const inside = place !== undefined && path.relative(await realpath(this.#base), place);
    if (!inside || isOutside(inside)) throw notInWorkspace(file);
    return path.join(this.#base, inside);
  }

  /**
   * @returns `undefined` for what is too long, is no file, or is outside the folder through a link, so that the other
   *   programs still count
   */
  async #read(name: string): Promise<string | undefined> {
    const place = path.join(this.#base, name);
    const stats = await stat(place).catch(() => undefined);
    if (!stats?.isFile() || stats.size > MAX_PROGRAM_BYTES) return undefined;
    return readText(place, { boundary: this.#base }).catch(() => undefined);
  }

  #relative(place: string): string {
    return path.relative(this.#base, place).replaceAll(path.sep, '/');
  }
}

/** A name may also begin with two dots. */
function isOutside(relative: string): boolean {
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}
