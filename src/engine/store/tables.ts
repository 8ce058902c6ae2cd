/**
 * Protects the tables' definitions. SQLite stores the statements that created them as text, and reads a statement
 * with a changed letter as another one. A checksum over all of them is in the header of the file, as its "user
 * version".
 */
import { crc32 } from 'node:zlib';
import { DamagedDatabase, type Database } from './database.ts';

/** No checksum: in a new database, and in one of an earlier version. */
const NONE = 0;
const CREATED = /\bIF NOT EXISTS (\w+)/gu;
/** In one statement, so that both values are of the same moment. */
const SCHEMA = `
  SELECT (SELECT user_version FROM pragma_user_version) AS noted,
         (SELECT json_group_array(json_array(type, name, tbl_name, sql))
          FROM (SELECT * FROM sqlite_schema ORDER BY type, name)) AS tables`;

/**
 * Creates the tables and indexes that are missing.
 *
 * @param sql statements `CREATE … IF NOT EXISTS`
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

/** Updates the checksum. Call it in every other transaction that changes tables. */
export function noteTables(db: Database): void {
  db.exec(`PRAGMA user_version = ${checksumOf(db).now}`);
}

/**
 * @param path of the database, for messages
 * @throws DamagedDatabase if the tables have changed
 */
export function checkTables(db: Database, path: string): void {
  const { noted, now } = checksumOf(db);
  if (noted !== NONE && noted !== now)
    throw new DamagedDatabase(path, 'its tables are not as they were made');
}

/** A user version is a signed 32-bit integer. */
function checksumOf(db: Database): { noted: number; now: number } {
  const { noted, tables } = db.prepare(SCHEMA).get()!;
  return { noted: Number(noted), now: crc32(String(tables)) | 0 };
}
