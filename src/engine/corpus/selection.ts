/** Decides by name which files of the folders belong to a corpus. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import picomatch from 'picomatch';
import { ParallaxError, messageOf } from '../../core/errors.ts';
import { SNAPSHOT_MANIFEST } from '../../features/web-corpus/core/snapshot.ts';
import { CONFIG_FILE, LABELS_FILE, type CorpusConfig } from '../../shared/config.ts';
import { globProblem } from '../../core/text/glob-limits.ts';
import { relativeInside } from '../files/paths.ts';
import { readerFor } from './readers/table.ts';
import { plainReader } from './readers/verbatim.ts';
import type { Reader } from './readers/reader.ts';

type Matches = (relativePath: string) => boolean;

/** Files that Parallax writes are never evidence. */
const OWN_FOLDER = path.posix.dirname(LABELS_FILE);
const OWN_FILE = /\.parallax\.jsonl$/i;
const STORE_MANIFEST = 'parallax-store.json';
const STORE_FILE = 'store.sqlite';
const DERIVED_FOLDER = /^derived-/;
/**
 * BEIR has queries and judgements beside its corpus, and fetched pages have a log beside them. They are no
 * passages.
 */
const BEIR_CORPUS = 'corpus.jsonl';
const BEIR_COMPANION = /^(?:queries\.jsonl|qrels(?:\..*)?)$/;

export class Selection {
  readonly #base: string;
  readonly #include: readonly string[];
  readonly #included: Matches;
  readonly #excluded: Matches;
  readonly #excludedByEditor: Matches;

  /**
   * @param base folder that the editor's globs are relative to
   * @param excludeGlobs as in `files.exclude`
   * @throws ParallaxError `bad-config` for an invalid glob
   */
  constructor(
    config: Pick<CorpusConfig, 'include' | 'exclude'>,
    base: string,
    excludeGlobs: readonly string[],
  ) {
    this.#base = base;
    this.#include = config.include.map(withoutDotSlash);
    // Without `dot`, a pattern matches hidden files only if it names them.
    this.#included = matcher(this.#include, { dot: false });
    this.#excluded = matcher(config.exclude.map(withoutDotSlash), { dot: true });
    this.#excludedByEditor = matcher(excludeGlobs.filter(Boolean), { dot: true });
  }

  /** @param siblings names of everything in the entry's folder */
  leavesOut(root: string, file: string, siblings: ReadonlySet<string>): boolean {
    const name = path.basename(file);
    if (isOwn(name) || name === '.git') return true;
    if (siblings.has(BEIR_CORPUS) && (BEIR_COMPANION.test(name) || name === SNAPSHOT_MANIFEST)) return true;
    if (isOfStore(name, siblings)) return true;
    if (this.#skipsByDefault(name)) return true;
    if (this.#excluded(relativeInside(root, file) ?? name)) return true;
    return this.#excludedByEditor(relativeInside(this.#base, file) ?? relativeInside(root, file) ?? name);
  }

  /** The reader of a file in a folder. `undefined` if it is not included or of an unknown type. */
  readerOf(root: string, file: string): Reader | undefined {
    if (this.#include.length === 0) return readerFor(path.basename(file));
    if (!this.#included(relativeInside(root, file) ?? '')) return undefined;
    return readerOfNamed(file);
  }

  /** Whether a file of an unknown type would be read if its type were known. */
  wants(root: string, file: string): boolean {
    return this.#include.length === 0 || this.#included(relativeInside(root, file) ?? '');
  }

  /** Hidden entries and `node_modules`, unless a pattern names them. */
  #skipsByDefault(name: string): boolean {
    if (!name.startsWith('.') && name !== 'node_modules') return false;
    return !this.#include.some((pattern) =>
      pattern
        .split('/')
        .some(
          (segment) =>
            (segment.startsWith('.') || segment === 'node_modules') && picomatch.isMatch(name, segment),
        ),
    );
  }
}

/** Parts of an index that the command line keeps in a folder of the corpus. The others have types that are not read. */
function isOfStore(name: string, siblings: ReadonlySet<string>): boolean {
  if (!siblings.has(STORE_MANIFEST) && !siblings.has(STORE_FILE)) return false;
  return name === STORE_MANIFEST || DERIVED_FOLDER.test(name);
}

function isOwn(name: string): boolean {
  return name === CONFIG_FILE || name === OWN_FOLDER || OWN_FILE.test(name);
}

/** The reader of a file that the user named, which is read whatever its type. */
export function readerOfNamed(file: string): Reader {
  return readerFor(path.basename(file)) ?? plainReader;
}

function withoutDotSlash(pattern: string): string {
  return pattern.replace(/^\.\//, '');
}

function matcher(patterns: readonly string[], options: { dot: boolean }): Matches {
  const matches = patterns.map((pattern) => {
    const problem = globProblem(pattern);
    if (problem !== undefined) throw new ParallaxError('bad-config', problem);
    try {
      return picomatch(pattern, options);
    } catch (error) {
      throw new ParallaxError(
        'bad-config',
        l10n.t`The glob pattern "${pattern}" cannot be read: ${messageOf(error)}.`,
        {
          cause: error,
        },
      );
    }
  });
  return (relativePath) => matches.some((match) => match(relativePath));
}
