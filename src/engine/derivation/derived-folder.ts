import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

const PREFIX = 'derived-';

/**
 * The folder of the indexes that can be rebuilt from a store. Its files record the passages they were made of
 * (`TextSums`).
 *
 * @param folder of the store
 * @param epoch of the store: each has its own slots
 */
export const derivedFolder = (folder: string, epoch: string): string =>
  path.join(folder, `${PREFIX}${epoch}`);

/**
 * Removes the derived indexes of other generations of the store, or all.
 *
 * @param folder of the store
 */
export async function removeDerived(folder: string, epoch: string | undefined): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(PREFIX) && name !== `${PREFIX}${epoch}`)
      await rm(path.join(folder, name), { recursive: true, force: true });
}

/**
 * Replaces the derived indexes of a store by those of another, whose generation the store takes over.
 *
 * @param from folder of the other store
 * @param to folder of the store
 */
export async function moveDerived(from: string, to: string): Promise<void> {
  await removeDerived(to, undefined);
  for (const name of await readdir(from))
    if (name.startsWith(PREFIX)) await rename(path.join(from, name), path.join(to, name));
}
