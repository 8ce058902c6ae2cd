import { rename, stat } from 'node:fs/promises';
import { checkStructure, DamagedDatabase, openDatabase, type Database } from './database.ts';
import { checkTables } from './tables.ts';

/** A larger file is not checked as a whole, since opening it would take too long. */
const CHECKED_BYTES = 16 * 2 ** 20;

/** Fills a new database from a damaged one, and returns a sentence about what it saved. */
export type TakeOver = (damaged: Database, database: Database) => string;

/**
 * Opens a database. A damaged one is renamed, not deleted, because its content was paid for and may be
 * recoverable.
 *
 * @param path a file, or `:memory:`
 * @throws ParallaxError `store-unusable`
 */
export async function openOrBeginAnew(
  path: string,
  log: (message: string) => void,
  takeOver?: TakeOver,
): Promise<Database> {
  try {
    return await openChecked(path);
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    const aside = `${path}.damaged-${Date.now()}`;
    for (const suffix of ['', '-wal', '-shm']) await renameIfThere(path + suffix, aside + suffix);
    const database = openDatabase(path);
    const saved = takeOver ? takenOver(aside, database, takeOver) : '';
    log(`${error.message} It is kept as ${aside}, and a new one is begun.${saved}`);
    return database;
  }
}

/** Takes over nothing if the file cannot be opened. */
function takenOver(aside: string, database: Database, takeOver: TakeOver): string {
  let damaged: Database | undefined;
  try {
    damaged = openDatabase(aside);
    return ` ${takeOver(damaged, database)}`;
  } catch (error) {
    if (error instanceof DamagedDatabase) return '';
    throw error;
  } finally {
    damaged?.close();
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
