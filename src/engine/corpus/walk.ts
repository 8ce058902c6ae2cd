/** Finds the files of a corpus below its roots, without reading them. */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { messageOf, throwIfCancelled } from '../../core/errors.ts';
import { FILES_ONLY, type CorpusConfig } from '../../shared/config.ts';
import { isInside, type Boundary } from '../files/boundary.ts';
import { GitIgnore } from './gitignore.ts';
import { MAX_DEPTH } from '../../core/text/glob-limits.ts';
import { comparePaths, errorCode, relativeInside, toSlashes } from '../files/paths.ts';
import type { Reader, SkipReason } from './readers/reader.ts';
import { extensionOf, holdsProse, kindOfFile } from '../../core/text/file-kinds.ts';
import { readerOfNamed, Selection } from './selection.ts';

export interface WalkOptions {
  /** The folder of `parallax.json`. Relative roots start here, and ids of documents inside are relative to it. */
  readonly base: string;
  /** Globs as in the editor's `files.exclude`. */
  readonly excludeGlobs: readonly string[];
  /** The limit for reading, whatever the corpus names or links point to. */
  readonly boundary?: Boundary;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /**
   * With slashes. Relative to `base` for files inside it, else to the parent folder of the root. Roots elsewhere with
   * the same name are distinguished by `~2`, `~3` …
   */
  readonly relativePath: string;
  readonly reader: Reader;
  /** Whether it is itself a root, not found in a folder. */
  readonly isRoot: boolean;
}

export interface SkippedPath {
  readonly path: string;
  readonly reason: SkipReason;
  readonly message: string;
  /** Whether what was read earlier stays, because the state of the path is unknown. */
  readonly keepStored: boolean;
}

export interface WalkResult {
  /** Sorted by `relativePath`. */
  readonly files: readonly FoundFile[];
  readonly skipped: readonly SkippedPath[];
  /** Files left out because their type is unknown: extension (or file name without one) → count. */
  readonly unknownTypes: ReadonlyMap<string, number>;
  /** Left out by `.gitignore`, at most {@link MAX_IGNORED}. Nothing below such a folder was searched. */
  readonly ignored: readonly IgnoredPath[];
}

export interface IgnoredPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** A limit, because a build may leave a file for every source. */
const MAX_IGNORED = 1_000;

/** @throws ParallaxError `bad-config` for an invalid glob, `cancelled` */
export async function walkCorpus(config: CorpusConfig, options: WalkOptions): Promise<WalkResult> {
  const walk = new Walk(config, options);
  await walk.run();
  return walk.result();
}

interface Root {
  readonly path: string;
  /**
   * Prefix of its documents' ids: the root's own path within `base`, or its name. Empty for `base` itself.
   */
  readonly prefix: string;
  /** Whether folders in it are left out. */
  readonly filesOnly: boolean;
}

/** A symbolic link, followed after every real file is found. */
interface Link {
  readonly path: string;
  readonly root: Root;
  readonly ignored: GitIgnore;
}

class Walk {
  readonly #config: CorpusConfig;
  readonly #options: WalkOptions;
  readonly #selection: Selection;
  readonly #files: FoundFile[] = [];
  readonly #skipped: SkippedPath[] = [];
  readonly #unknownTypes = new Map<string, number>();
  readonly #ignored: IgnoredPath[] = [];
  /** Real paths of the files and folders met so far, so that nothing is taken twice and no loop is entered. */
  readonly #met = new Set<string>();
  readonly #realRoots: string[] = [];
  #links: Link[] = [];

  constructor(config: CorpusConfig, options: WalkOptions) {
    this.#config = config;
    this.#options = options;
    this.#selection = new Selection(config, options.base, options.excludeGlobs);
  }

  async run(): Promise<void> {
    const roots = rootsOf(this.#config.roots, this.#options.base);
    for (const root of roots) await this.#enterRoot(root);
    // Links may point to folders with more links.
    while (this.#links.length > 0) {
      const links = this.#links.sort((a, b) => comparePaths(a.path, b.path));
      this.#links = [];
      for (const link of links) await this.#follow(link);
    }
  }

  result(): WalkResult {
    const files = wantedFiles(this.#files, this.#config.code);
    return {
      files: files.sort((a, b) => comparePaths(a.relativePath, b.relativePath)),
      skipped: this.#skipped.sort((a, b) => comparePaths(a.path, b.path)),
      unknownTypes: this.#unknownTypes,
      ignored: this.#ignored,
    };
  }

  async #enterRoot(root: Root): Promise<void> {
    try {
      const real = await realpath(root.path);
      if (!(await isInside(this.#options.boundary, real)))
        return this.#skip(root.path, 'outside', untrustedMessage(), false);
      this.#realRoots.push(real);
      const stats = await stat(real);
      if (stats.isDirectory())
        await this.#enterFolder(root.path, real, root, await GitIgnore.above(root.path));
      else if (stats.isFile()) this.#takeFile(root.path, real, root, readerOfNamed(root.path));
      else this.#skip(root.path, 'unreadable', l10n.t('It is neither a file nor a folder.'), false);
    } catch (error) {
      this.#skipFailed(root.path, error);
    }
  }

  async #enterFolder(folder: string, real: string, root: Root, above: GitIgnore): Promise<void> {
    throwIfCancelled(this.#options.signal);
    if (this.#met.has(real)) return;
    this.#met.add(real);
    if (depthOf(root.path, folder) > MAX_DEPTH)
      return this.#skip(folder, 'unreadable', l10n.t`It lies more than ${MAX_DEPTH} folders deep.`, false);
    const entries = await readdir(folder, { withFileTypes: true });
    const siblings = new Set(entries.map((entry) => entry.name));
    const ignored = await above.inside(folder, siblings);
    for (const entry of entries.sort((a, b) => comparePaths(a.name, b.name))) {
      const file = path.join(folder, entry.name);
      if (this.#selection.leavesOut(root.path, file, siblings)) continue;
      await this.#enterEntry(entry, file, path.join(real, entry.name), root, ignored);
    }
  }

  async #enterEntry(
    entry: Dirent,
    file: string,
    real: string,
    root: Root,
    ignored: GitIgnore,
  ): Promise<void> {
    if (ignored.ignores(file, entry.isDirectory())) {
      if (this.#ignored.length < MAX_IGNORED)
        this.#ignored.push({ path: file, isFolder: entry.isDirectory() });
      return;
    }
    if (entry.isSymbolicLink()) this.#links.push({ path: file, root, ignored });
    else if (entry.isFile()) this.#considerFile(file, real, root);
    else if (entry.isDirectory() && root.filesOnly) return;
    else if (entry.isDirectory())
      try {
        await this.#enterFolder(file, real, root, ignored);
      } catch (error) {
        this.#skipFailed(file, error);
      }
    else this.#skip(file, 'unreadable', notAFileMessage(), false);
  }

  async #follow(link: Link): Promise<void> {
    try {
      const real = await realpath(link.path);
      if (relativeInside(real, await realpath(path.dirname(link.path))) !== undefined)
        this.#skip(
          link.path,
          'symlink-loop',
          l10n.t('This symbolic link leads to a folder that contains it.'),
          false,
        );
      else if (!this.#config.followSymlinks && !this.#isInRoots(real))
        this.#skip(link.path, 'outside', outsideMessage(), false);
      else if (!(await isInside(this.#options.boundary, real)))
        this.#skip(link.path, 'outside', untrustedMessage(), false);
      else {
        const target = await stat(real);
        if (target.isFile()) this.#considerFile(link.path, real, link.root);
        else if (target.isDirectory() && !link.root.filesOnly && !link.ignored.ignores(link.path, true))
          await this.#enterFolder(link.path, real, link.root, link.ignored);
        else if (!target.isDirectory()) this.#skip(link.path, 'unreadable', notAFileMessage(), false);
      }
    } catch (error) {
      this.#skipFailed(link.path, error);
    }
  }

  #isInRoots(real: string): boolean {
    return this.#realRoots.some((root) => relativeInside(root, real) !== undefined);
  }

  #considerFile(file: string, real: string, root: Root): void {
    const reader = this.#selection.readerOf(root.path, file);
    if (reader) this.#takeFile(file, real, root, reader);
    else if (this.#selection.wants(root.path, file)) {
      const name = path.basename(file);
      const type = extensionOf(name) || name;
      this.#unknownTypes.set(type, (this.#unknownTypes.get(type) ?? 0) + 1);
    }
  }

  #takeFile(file: string, real: string, root: Root, reader: Reader): void {
    if (this.#met.has(real)) return;
    this.#met.add(real);
    this.#files.push(foundFile(file, root, reader));
  }

  #skip(file: string, reason: SkipReason, message: string, keepStored: boolean): void {
    this.#skipped.push({ path: file, reason, message, keepStored });
  }

  #skipFailed(file: string, error: unknown): void {
    throwIfCancelled(this.#options.signal);
    this.#skipped.push(skippedByError(file, error));
  }
}

/** A file that is a root was named by the user. */
function wantedFiles(files: readonly FoundFile[], code: CorpusConfig['code']): FoundFile[] {
  const isLeftOut = ({ path: file, isRoot }: FoundFile): boolean => !isRoot && kindOfFile(file) === 'code';
  if (code === true || (code === 'auto' && !holdsProse(files.map(({ path: file }) => file))))
    return [...files];
  return files.filter((file) => !isLeftOut(file));
}

/** The file of a corpus at a path that an earlier walk found. `undefined` if no root contains it any more. */
export function findFile(config: CorpusConfig, base: string, file: string): FoundFile | undefined {
  const root = rootsOf(config.roots, base).find(({ path: folder, filesOnly }) => {
    const inRoot = relativeInside(folder, file);
    return inRoot !== undefined && !(filesOnly && inRoot.includes('/'));
  });
  return root && foundFile(file, root, readerOfNamed(file));
}

function depthOf(root: string, folder: string): number {
  const inRoot = relativeInside(root, folder);
  return inRoot ? inRoot.split('/').length : 0;
}

function foundFile(file: string, root: Root, reader: Reader): FoundFile {
  const inRoot = relativeInside(root.path, file) ?? '';
  const relativePath = [root.prefix, inRoot].filter(Boolean).join('/');
  return { path: file, relativePath, reader, isRoot: inRoot === '' };
}

const outsideMessage = (): string =>
  l10n.t('This symbolic link leads out of the folders of the corpus; followSymlinks would follow it.');

const notAFileMessage = (): string => l10n.t('It is a pipe, a socket or a device, not a file.');

const untrustedMessage = (): string =>
  l10n.t('It lies outside the folder that is open. Parallax reads it only once you trust the workspace.');

/** Node puts U+FFFD into a name that is not valid UTF-8, and then finds no file by it. */
function whyMissing(file: string): string {
  return file.includes('\uFFFD')
    ? l10n.t('Its name is not valid UTF-8, so that it cannot be opened. Rename it.')
    : l10n.t('It does not exist.');
}

/** A file system error as a skip reason and a sentence. Rethrows any other error. */
export function skippedByError(file: string, error: unknown): SkippedPath {
  switch (errorCode(error)) {
    case undefined:
      throw error;
    case 'ENOENT':
    case 'ENOTDIR':
      return { path: file, reason: 'missing', message: whyMissing(file), keepStored: false };
    case 'ELOOP':
      return {
        path: file,
        reason: 'symlink-loop',
        message: l10n.t('Symbolic links lead in a circle.'),
        keepStored: false,
      };
    case 'EACCES':
    case 'EPERM':
      return {
        path: file,
        reason: 'unreadable',
        message: l10n.t('Reading it is not permitted.'),
        keepStored: true,
      };
    default:
      return {
        path: file,
        reason: 'unreadable',
        message: l10n.t`It cannot be read: ${messageOf(error)}.`,
        keepStored: true,
      };
  }
}

/**
 * Absolute roots without duplicates, each with the prefix of its documents' ids. Whole folders come before
 * those of files only.
 */
function rootsOf(roots: readonly string[], base: string): Root[] {
  const whole = roots.filter((root) => !root.endsWith(FILES_ONLY)).map((root) => path.resolve(base, root));
  const files = roots
    .filter((root) => root.endsWith(FILES_ONLY))
    .map((root) => path.resolve(base, root.slice(0, -FILES_ONLY.length) || path.sep));
  const absolute = [...new Set([...whole, ...files])];
  const usedNames = new Set(absolute.map((root) => relativeInside(base, root)?.split('/')[0] ?? ''));
  return absolute.map((root) => {
    const filesOnly = !whole.includes(root);
    const inBase = relativeInside(base, root);
    if (inBase !== undefined) return { path: root, prefix: inBase, filesOnly };
    const prefix = freeName(toSlashes(path.basename(root)), usedNames);
    usedNames.add(prefix);
    return { path: root, prefix, filesOnly };
  });
}

function freeName(name: string, usedNames: ReadonlySet<string>): string {
  let free = name;
  for (let n = 2; usedNames.has(free); n++) free = `${name}~${n}`;
  return free;
}
