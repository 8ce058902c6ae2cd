/** The tables of a store. A store of another version is rebuilt. */
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { createTables, noteTables } from './tables.ts';

/** Raise it if the tables or the meaning of their columns change, so that older stores are rebuilt. */
const SCHEMA_VERSION = 6;

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
  -- Reads the checksums of all texts without the texts.
  CREATE INDEX IF NOT EXISTS passages_texts ON passages(slot, text_checksum);
`;
const TABLE_NAMES = ['passages', 'documents', 'files', 'skipped', 'meta'];

/**
 * Creates the tables of a store that another process may be opening, too.
 *
 * @param splitKey identifies how documents are split and which fields are read; a change empties the store
 * @returns whether the store is empty because of such a change, or of another version
 */
export function ensureSchema(db: Database, splitKey: string): boolean {
  const identity = `${SCHEMA_VERSION} ${splitKey}`;
  createTables(
    db,
    'CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  );
  // Reads within the transaction, because another window may be creating the store, too.
  return db.transaction(() => {
    const storedIdentity = db.prepare('SELECT value FROM meta WHERE key = ?').get('identity')?.['value'];
    if (storedIdentity === identity) return false;
    begin(db, identity);
    return true;
  });
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
