/**
 * The tables of a store, and of which version they are: an older store is taken over where its passages still mean the
 * same, and begun anew otherwise.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { createTables, noteTables } from './tables.ts';

/** Raise when the tables or the meaning of their columns change: older stores are then built anew. */
const SCHEMA_VERSION = 6;
/**
 * Before tiny sections were joined with their neighbours (5), before documents had fields (4), and before passages had
 * sections and files the time of their last change (3): they are taken over, see {@link takeOver}.
 */
const FORMER_VERSIONS = [5, 4, 3];

/** All checksums of texts are read at once, without the texts. Stores that lack it get it when they are opened. */
const TEXTS_INDEX = 'CREATE INDEX IF NOT EXISTS passages_texts ON passages(slot, text_checksum);';

const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, ctime REAL NOT NULL,
    hash TEXT NOT NULL, complete INTEGER NOT NULL, passages INTEGER NOT NULL, slots INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS files_path ON files(path);
  CREATE TABLE IF NOT EXISTS skipped (path TEXT NOT NULL, report TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    name TEXT NOT NULL, title TEXT NOT NULL, verbatim INTEGER NOT NULL, record_line INTEGER,
    fields TEXT);
  CREATE INDEX IF NOT EXISTS documents_file ON documents(file);
  CREATE INDEX IF NOT EXISTS documents_name ON documents(name);
  CREATE TABLE IF NOT EXISTS passages (
    slot INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    id TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL, hash BLOB NOT NULL, text TEXT NOT NULL, text_checksum INTEGER NOT NULL,
    checksum INTEGER NOT NULL, section TEXT);
  CREATE INDEX IF NOT EXISTS passages_document ON passages(document);
  CREATE INDEX IF NOT EXISTS passages_id ON passages(id);
  ${TEXTS_INDEX}
`;
const TABLE_NAMES = ['passages', 'documents', 'files', 'skipped', 'meta'];

/** The time of a file that has to be read again. */
const NEVER = -1;

/**
 * Makes sure of the tables of a store that somebody else may be opening, too.
 *
 * @param splitKey names how documents are split and which fields are read; a change empties the store
 * @returns whether it begins empty because of such a change, or of another version
 */
export function ensureSchema(db: Database, splitKey: string): boolean {
  const identity = `${SCHEMA_VERSION} ${splitKey}`;
  createTables(
    db,
    'CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  );
  // Asked in the transaction, because another window may be beginning it, too.
  const reset = db.transaction(() => {
    const found = db.prepare('SELECT value FROM meta WHERE key = ?').get('identity')?.['value'];
    if (found === identity) return false;
    if (FORMER_VERSIONS.some((version) => found === `${version} ${splitKey}`)) {
      takeOver(db, identity);
      return false;
    }
    begin(db, identity);
    return true;
  });
  createTables(db, TEXTS_INDEX);
  return reset;
}

/** Empties the store: a new identity, and a new generation of slots. */
function begin(db: Database, identity: string): void {
  db.exec(TABLE_NAMES.map((name) => `DROP TABLE IF EXISTS ${name};`).join(''));
  db.exec(TABLES);
  noteTables(db);
  const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
  insert.run('identity', identity);
  insert.run('epoch', randomUUID());
}

/**
 * Makes a store of a former version one of this version. Every file is read again with the next update, which finds
 * sections and fields; texts that are the same keep their slots, and so their vectors, which may have been paid for.
 */
function takeOver(db: Database, identity: string): void {
  const columns = new Set(
    db
      .prepare(
        `SELECT name FROM pragma_table_info('passages') UNION SELECT name FROM pragma_table_info('files')
         UNION SELECT name FROM pragma_table_info('documents')`,
      )
      .all()
      .map((row) => String(row['name'])),
  );
  if (!columns.has('section')) db.exec('ALTER TABLE passages ADD COLUMN section TEXT');
  if (!columns.has('ctime')) db.exec(`ALTER TABLE files ADD COLUMN ctime REAL NOT NULL DEFAULT ${NEVER}`);
  if (!columns.has('fields')) db.exec('ALTER TABLE documents ADD COLUMN fields TEXT');
  db.exec(`UPDATE files SET mtime = ${NEVER}, hash = ''`);
  noteTables(db);
  db.prepare('UPDATE meta SET value = ? WHERE key = ?').run(identity, 'identity');
}
