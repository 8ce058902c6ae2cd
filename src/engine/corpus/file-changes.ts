/** Finds the files of a corpus that changed since they were read, without reading any of them. */
import type { CorpusRef } from '../../shared/requests/configuration.ts';
import type { FileChanges } from '../../shared/requests/corpora.ts';
import { Pace } from '../concurrency/pace.ts';
import { relativeInside } from '../files/paths.ts';
import type { Store } from '../store/store.ts';
import type { WorkOptions } from '../types.ts';
import { comparedWithKnown, stateOf } from './read-file.ts';
import { walkCorpus } from './walk.ts';

/**
 * Compares sizes and times. A changed file may turn out to be the same when it is read. A file that could not be read
 * counts as unchanged.
 *
 * @throws ParallaxError `bad-config` for an invalid glob, `cancelled`
 */
export async function fileChanges(
  store: Pick<Store, 'files' | 'skipped'>,
  { base, config, excludeGlobs, fenced }: CorpusRef,
  work: WorkOptions,
): Promise<FileChanges> {
  const known = store.files.known();
  const unread = new Set(store.skipped().map(({ path }) => path));
  const boundary = fenced ? base : undefined;
  const { files, skipped } = await walkCorpus(config, { base, excludeGlobs, boundary, signal: work.signal });
  const pace = new Pace(work);
  const changes = { added: 0, changed: 0, deleted: 0 };
  const growth = new Growth();
  const pathsOnDisk = new Set<string>();
  for await (const { file, former, isUnchanged } of comparedWithKnown(files, known, work.signal)) {
    if (pace.due) await pace.rest();
    pathsOnDisk.add(file.path);
    if (former) changes.changed += Number(!isUnchanged);
    else if (!unread.has(file.path)) changes.added++;
    if (!isUnchanged && !unread.has(file.path))
      growth.add(file.relativePath, (await sizeOf(file.path)) - (former?.size ?? 0));
  }
  // For a folder that cannot be read, its files count as unchanged.
  const unseen = skipped.filter(({ keepStored }) => keepStored).map(({ path }) => path);
  for (const path of known.keys())
    if (!pathsOnDisk.has(path) && !unseen.some((folder) => relativeInside(folder, path) !== undefined))
      changes.deleted++;
  const bytes = [...known.values()].reduce((sum, { size }) => sum + size, 0);
  return { ...changes, indexed: { files: known.size, bytes }, ...growth.view };
}

/** Returns 0 for a file that has been deleted since. */
const sizeOf = (file: string): Promise<number> =>
  stateOf(file).then(
    ({ size }) => size,
    () => 0,
  );

/** The growth of a corpus through new and changed files. */
class Growth {
  #bytes = 0;
  #largest: { readonly file: string; readonly bytes: number } | undefined;

  add(file: string, bytes: number): void {
    this.#bytes += bytes;
    if (bytes > (this.#largest?.bytes ?? 0)) this.#largest = { file, bytes };
  }

  get view(): Pick<FileChanges, 'addedBytes' | 'largest'> {
    const largest = this.#largest ? { largest: this.#largest.file } : {};
    return { addedBytes: Math.max(0, this.#bytes), ...largest };
  }
}
