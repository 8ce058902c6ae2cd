/** Counts the files of a corpus by folder and kind before they are read, so that users can choose. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { extensionOf, holdsProse, kindOfFile } from '../../core/text/file-kinds.ts';
import type { CorpusRef } from '../../shared/requests/configuration.ts';
import type { CorpusSurvey } from '../../shared/requests/corpora.ts';
import { errorCode, relativeInside } from '../files/paths.ts';
import type { WorkOptions } from '../types.ts';
import { readerFor } from './readers/table.ts';
import { walkCorpus, type IgnoredPath } from './walk.ts';

/** The most kinds to name per folder. */
const MAX_KINDS = 3;
/** How deep ignored folders are searched for documents. Those of builds and caches are not mentioned. */
const LOOKED_INTO = 2;

/**
 * Walks the roots and counts files. Folders are those directly below the root; with several roots, the roots
 * themselves.
 *
 * @throws ParallaxError `bad-config` for an invalid glob, `cancelled`
 */
export async function surveyCorpus(
  { base, config, excludeGlobs, fenced }: CorpusRef,
  { signal }: WorkOptions,
): Promise<CorpusSurvey> {
  const boundary = fenced ? base : undefined;
  const { files, unknownTypes, ignored } = await walkCorpus(
    { ...config, code: true },
    { base, excludeGlobs, boundary, signal },
  );
  const [root = base] = config.roots.length === 1 ? config.roots : [];
  const folders = new Map<string, Folder>();
  for (const { path: file, relativePath } of files) {
    const place = config.roots.length === 1 ? inRoot(base, root, file) : relativePath;
    const at = place.indexOf('/');
    const name = at < 0 ? '' : place.slice(0, at);
    const folder = folders.get(name) ?? new Folder();
    folders.set(name, folder);
    folder.add(file);
  }
  const paths = files.map((file) => file.path);
  return {
    folders: [...folders]
      .map(([name, folder]) => ({ name, ...folder.view }))
      .sort((a, b) => Number(a.name === '') - Number(b.name === '') || b.prose - a.prose || b.code - a.code),
    withCode: config.code === 'auto' ? !holdsProse(paths) : config.code,
    canChoose: config.roots.length === 1,
    unread: {
      kinds: [...unknownTypes]
        .map(([extension, count]) => ({ extension, files: count }))
        .sort((a, b) => b.files - a.files),
      ignored: await ignoredDocuments(ignored, base),
    },
  };
}

/** The ignored paths that are or contain documents, as people write them. Folders end in a slash. */
async function ignoredDocuments(ignored: readonly IgnoredPath[], base: string): Promise<string[]> {
  const documents: string[] = [];
  for (const { path: file, isFolder } of ignored) {
    const holds = isFolder ? await holdsDocuments(file, LOOKED_INTO) : isDocument(path.basename(file));
    if (holds) documents.push(`${relativeInside(base, file) ?? file}${isFolder ? '/' : ''}`);
  }
  return documents;
}

/** A folder that cannot be opened has nothing to read. */
async function holdsDocuments(folder: string, depth: number): Promise<boolean> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    if (entries.some((entry) => entry.isFile() && isDocument(entry.name))) return true;
    if (depth <= 1) return false;
    for (const entry of entries)
      if (entry.isDirectory() && (await holdsDocuments(path.join(folder, entry.name), depth - 1)))
        return true;
    return false;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

function isDocument(name: string): boolean {
  return readerFor(name) !== undefined && kindOfFile(name) === 'prose';
}

function inRoot(base: string, root: string, file: string): string {
  return relativeInside(path.resolve(base, root), file) ?? file;
}

/** The file counts of one folder. */
class Folder {
  readonly #kinds = new Map<string, number>();
  #prose = 0;
  #code = 0;

  add(file: string): void {
    if (kindOfFile(file) === 'code') {
      this.#code++;
      return;
    }
    this.#prose++;
    const kind = extensionOf(path.basename(file)) || 'text';
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }

  get view(): Omit<CorpusSurvey['folders'][number], 'name'> {
    const kinds = [...this.#kinds].sort(([, a], [, b]) => b - a).slice(0, MAX_KINDS);
    return { prose: this.#prose, code: this.#code, kinds: kinds.map(([kind]) => kind) };
  }
}
