import { rename, stat } from 'node:fs/promises';
import { checkStructure, DamagedDatabase, openDatabase, type Database } from './database.ts';
import { checkTables } from './tables.ts';

/** A larger one is not looked at as a whole: whoever opens it would have to wait. */
const CHECKED_BYTES = 16 * 2 ** 20;

/**
 * Opens a database. One that is damaged is set aside, not deleted: what is in it was paid for, and somebody may
 * know how to save it.
 *
 * @param path a file, or `:memory:`
 * @throws ParallaxError `store-unusable`
 */
export async function openOrBeginAnew(path: string, log: (message: string) => void): Promise<Database> {
  try {
    return await openChecked(path);
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    const aside = `${path}.damaged-${Date.now()}`;
    log(`${error.message} It is kept as ${aside}, and a new one is begun.`);
    for (const suffix of ['', '-wal', '-shm']) await renameIfThere(path + suffix, aside + suffix);
    return openDatabase(path);
  }
}

async function openChecked(path: string): Promise<Database> {
  const database = openDatabase(path);
  try {
    checkTables(database, path);
    if (path !== ':memory:' && (await stat(path)).size <= CHECKED_BYTES) checkStructure(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
