/** Where the store of a corpus is, and how it is opened, emptied, and begun anew where it is damaged. */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CorpusRef } from '../../shared/requests/configuration.ts';
import { removeDerived } from '../derivation/derived-folder.ts';
import { Pace } from '../concurrency/pace.ts';
import { DamagedDatabase } from '../store/database.ts';
import { Store } from '../store/store.ts';
import { makeFolder } from '../store/usable-folder.ts';
import { asOnlyWriter } from '../store/writer-lock.ts';
import type { WorkOptions } from '../types.ts';

const STORE_FILE = 'store.sqlite';
/** Held by whoever brings the store up to date with the files. */
const UPDATE_LOCK = 'update.lock';
/** A store up to this size is looked at as a whole when it is opened; of a larger one, every passage that is read. */
const CHECKED_BYTES = 16 * 2 ** 20;

export const storeFile = (ref: CorpusRef): string => path.join(ref.store, STORE_FILE);
export const updateLock = (ref: CorpusRef): string => path.join(ref.store, UPDATE_LOCK);

/**
 * Opens the store of a corpus. One that is damaged is begun anew: the files are read again.
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

/**
 * Empties the index of a corpus that is not open here. Other windows that have it open take note.
 *
 * @throws ParallaxError `store-unusable`, `cancelled`
 */
export async function emptyStore(ref: CorpusRef, work: WorkOptions): Promise<void> {
  await makeFolder(ref.store);
  await asOnlyWriter(updateLock(ref), work, async () => {
    try {
      Store.empty(storeFile(ref));
    } catch (error) {
      if (!(error instanceof DamagedDatabase)) throw error;
      await removeFiles(ref);
    }
    await removeDerived(ref.store, undefined);
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

/** Everything that decides how documents become passages. */
function splitKey({ base, config }: CorpusRef): string {
  const { split, textField, idField } = config;
  return JSON.stringify({ base, split, textField, idField });
}
