/** Counts the files of a corpus by folder and kind before anything is read, so that users can choose. */
import path from 'node:path';
import { extensionOf, holdsProse, kindOfFile } from '../../core/text/file-kinds.ts';
import type { CorpusRef } from '../../shared/requests/configuration.ts';
import type { CorpusSurvey } from '../../shared/requests/corpora.ts';
import { relativeInside } from '../files/paths.ts';
import type { WorkOptions } from '../types.ts';
import { walkCorpus } from './walk.ts';

/** Kinds that are named of a folder. */
const MOST_KINDS = 3;

/**
 * Walks the roots and counts. Folders are those right below the root; of several roots, the roots themselves.
 *
 * @throws ParallaxError `bad-config` for a glob that cannot be read, `cancelled`
 */
export async function surveyCorpus(
  { base, config, excludeGlobs, fenced }: CorpusRef,
  { signal }: WorkOptions,
): Promise<CorpusSurvey> {
  const boundary = fenced ? base : undefined;
  const { files } = await walkCorpus({ ...config, code: true }, { base, excludeGlobs, boundary, signal });
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
  };
}

function inRoot(base: string, root: string, file: string): string {
  return relativeInside(path.resolve(base, root), file) ?? file;
}

/** The files of one folder, counted. */
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
    const kinds = [...this.#kinds].sort(([, a], [, b]) => b - a).slice(0, MOST_KINDS);
    return { prose: this.#prose, code: this.#code, kinds: kinds.map(([kind]) => kind) };
  }
}
