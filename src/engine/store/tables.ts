/**
 * The tables of a database, as they were made. SQLite keeps the sentences that made them as text, and takes one in
 * which a letter has changed for another sentence: a checksum over all of them stands in the header of the file, as
 * its "user version".
 */
import { crc32 } from 'node:zlib';
import { DamagedDatabase, type Database } from './database.ts';

/** Stands for a missing checksum: in a new database, and in one of an earlier version. */
const NONE = 0;
const CREATED = /\bIF NOT EXISTS (\w+)/gu;
/** In one statement, so that both are of the same moment. */
const SCHEMA = `
  SELECT (SELECT user_version FROM pragma_user_version) AS noted,
         (SELECT json_group_array(json_array(type, name, tbl_name, sql))
          FROM (SELECT * FROM sqlite_schema ORDER BY type, name)) AS tables`;

/**
 * Makes the tables and indexes that are missing.
 *
 * @param sql sentences `CREATE … IF NOT EXISTS`
 * @throws ParallaxError `store-unusable`
 */
export function createTables(db: Database, sql: string): void {
  const there = new Set(
    db
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map((row) => row['name']),
  );
  if ([...sql.matchAll(CREATED)].every(([, name]) => there.has(name!))) return;
  db.transaction(() => {
    db.exec(sql);
    noteTables(db);
  });
}

/** To be called in every other transaction that changes tables. */
export function noteTables(db: Database): void {
  db.exec(`PRAGMA user_version = ${checksumOf(db).now}`);
}

/**
 * @param path of the database, to be named
 * @throws DamagedDatabase when the tables are not as they were made
 */
export function checkTables(db: Database, path: string): void {
  const { noted, now } = checksumOf(db);
  if (noted !== NONE && noted !== now)
    throw new DamagedDatabase(path, 'its tables are not as they were made');
}

/** A user version is a signed integer of 32 bits. */
function checksumOf(db: Database): { noted: number; now: number } {
  const { noted, tables } = db.prepare(SCHEMA).get()!;
  return { noted: Number(noted), now: crc32(String(tables)) | 0 };
}
