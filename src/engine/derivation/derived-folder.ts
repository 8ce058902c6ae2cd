import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { slotsInUse, writeSlotsInUse } from '../store/slots-in-use.ts';
import type { Store } from '../store/store.ts';
import { makeFolder } from '../store/usable-folder.ts';
import type { Slot } from '../types.ts';

const PREFIX = 'derived-';

/** The folder of the indexes that can be rebuilt from a store: one for each generation of its slots. */
export class DerivedFolder {
  readonly path: string;
  readonly #store: Store;
  /** The slot up to which the indexes may hold passages, as noted on disk. */
  #notedSlot: Slot | undefined;

  /** @param folder that holds the store */
  constructor(folder: string, store: Store) {
    this.path = path.join(folder, `${PREFIX}${store.epoch}`);
    this.#store = store;
  }

  /** Whether an index may hold slots that the store has not given out: it has lost what was stored last. */
  async isAheadOfStore(): Promise<boolean> {
    return (await slotsInUse(this.path)) > this.#store.lastSlot;
  }

  /**
   * To be called before slots go into an index on disk.
   *
   * @throws ParallaxError `store-unusable`
   */
  async noteSlots(): Promise<void> {
    if (this.#store.lastSlot === this.#notedSlot) return;
    await makeFolder(this.path);
    this.#notedSlot = await writeSlotsInUse(this.path, this.#store);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/**
 * Removes the derived indexes that belong to other generations of the store, or all.
 *
 * @param folder that holds the store
 */
export async function removeDerived(folder: string, epoch: string | undefined): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(PREFIX) && name !== `${PREFIX}${epoch}`)
      await rm(path.join(folder, name), { recursive: true, force: true });
}
