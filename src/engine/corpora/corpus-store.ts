/** Finds, opens, empties and replaces the store of a corpus. A damaged store starts empty. */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SplitSpec } from '../../core/split/spec.ts';
import type { CorpusRef } from '../../shared/requests/configuration.ts';
import { moveDerived } from '../derivation/derived-folder.ts';
import { Pace } from '../concurrency/pace.ts';
import { copyDatabase, DamagedDatabase } from '../store/database.ts';
import { Store } from '../store/store.ts';
import { makeFolder } from '../store/usable-folder.ts';
import { asOnlyWriter } from '../store/writer-lock.ts';
import type { WorkOptions } from '../types.ts';

const STORE_FILE = 'store.sqlite';
/** Held by the process that updates the store from the files. */
const UPDATE_LOCK = 'update.lock';
/** A store up to this size is checked as a whole when it is opened. A larger one is checked passage by passage. */
const CHECKED_BYTES = 16 * 2 ** 20;

export const storeFile = (ref: CorpusRef): string => path.join(ref.store, STORE_FILE);
export const updateLock = (ref: CorpusRef): string => path.join(ref.store, UPDATE_LOCK);

/**
 * Opens the store of a corpus. A damaged store starts empty, and the files are read again.
 *
 * @throws ParallaxError `store-unusable`
 */
export async function openStore(ref: CorpusRef, log: (message: string) => void): Promise<Store> {
  await makeFolder(ref.store);
  try {
    return await openChecked(ref);
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    log(`${error.message} It is begun anew.`);
    await removeFiles(ref);
    return Store.open(storeFile(ref), splitKey(ref)).store;
  }
}

/** Where a new index of a corpus is built while the old one still answers. */
export const besideStore = (ref: CorpusRef): CorpusRef => ({
  ...ref,
  store: path.join(ref.store, 'rebuild'),
});

/** Where a corpus is temporarily indexed with another split. */
export const resplitStore = (ref: CorpusRef, split: SplitSpec): CorpusRef => ({
  ...ref,
  config: { ...ref.config, split },
  store: path.join(ref.store, 'resplit'),
});

/** Held by the window that tries other splits. */
export const resplitLock = (ref: CorpusRef): string => path.join(ref.store, 'resplit.lock');

/** Held by the window that rebuilds the index. */
export const rebuildLock = (ref: CorpusRef): string => path.join(ref.store, 'rebuild.lock');

/**
 * Replaces the old index by the one built beside it; neither may be open here. Other windows that have the old one
 * open see that it is superseded.
 *
 * @throws ParallaxError `store-unusable`, `cancelled`
 */
export async function replaceStore(ref: CorpusRef, work: WorkOptions): Promise<void> {
  const fresh = besideStore(ref);
  await asOnlyWriter(updateLock(ref), work, async () => {
    try {
      await copyDatabase(storeFile(fresh), storeFile(ref));
    } catch (error) {
      if (!(error instanceof DamagedDatabase)) throw error;
      await removeFiles(ref);
      await copyDatabase(storeFile(fresh), storeFile(ref));
    }
    await moveDerived(fresh.store, ref.store);
  });
}

/** @throws DamagedDatabase */
async function openChecked(ref: CorpusRef): Promise<Store> {
  const { store } = Store.open(storeFile(ref), splitKey(ref));
  try {
    if ((await stat(storeFile(ref))).size <= CHECKED_BYTES) await store.check(new Pace({}));
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}

async function removeFiles(ref: CorpusRef): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(storeFile(ref) + suffix, { force: true });
}

/** Everything that decides how documents are split into passages. */
function splitKey({ base, config }: CorpusRef): string {
  const { split, textField, idField } = config;
  return JSON.stringify({ base, split, textField, idField });
}
