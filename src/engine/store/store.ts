/**
 * Documents and passages of one corpus in SQLite: the truth from which every other index is derived and
 * can be rebuilt.
 *
 * A file that is being read is stored under a row that is not complete yet; it replaces the former
 * version of the file when its last document has arrived. Whatever a crash leaves incomplete is removed
 * on opening, and the file is read again by the next scan.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { ExtractedDocument, NewPassage, Slot, StoredPassage } from '../types.ts';
import { openDatabase, type Database, type Row, type Statement } from './database.ts';
import { LiveSlotSet } from './live-slots.ts';

/** Raise when the tables or the meaning of their columns change: older stores are then built anew. */
const SCHEMA_VERSION = 1;

const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL,
    hash TEXT NOT NULL, complete INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS files_path ON files(path);
  CREATE TABLE IF NOT EXISTS skipped (path TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    name TEXT NOT NULL, title TEXT NOT NULL, verbatim INTEGER NOT NULL, record_line INTEGER);
  CREATE INDEX IF NOT EXISTS documents_file ON documents(file);
  CREATE INDEX IF NOT EXISTS documents_name ON documents(name);
  CREATE TABLE IF NOT EXISTS passages (
    slot INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    id TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL, hash BLOB NOT NULL, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS passages_document ON passages(document);
  CREATE INDEX IF NOT EXISTS passages_id ON passages(id);
`;
const TABLE_NAMES = ['passages', 'documents', 'files', 'skipped', 'meta'];

const SELECT_PASSAGE = `
  SELECT p.slot, p.id, p.start, p.end, p.first_line, p.last_line, p.hash, p.text,
         d.name, d.title, d.verbatim, d.record_line, f.path
  FROM passages p JOIN documents d ON d.id = p.document JOIN files f ON f.id = d.file AND f.complete = 1`;

export interface KnownFile {
  readonly size: number;
  readonly mtimeMs: number;
  readonly hash: string;
}

/** A file that could not be read, or a part of one. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
  readonly message: string;
}

export interface DocumentWithPassages {
  readonly document: ExtractedDocument;
  readonly passages: readonly NewPassage[];
}

/** A file on its way into the store. */
export interface PendingFile {
  readonly id: number;
  readonly path: string;
  readonly replaces: number | undefined;
  /** Slots of the version being replaced, by text hash: passages that did not change keep their slot. */
  readonly reusable: Map<string, Slot[]>;
  readonly added: Slot[];
}

/** Identity of a passage's text; 128 bits are plenty against accidents. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

export class Store {
  readonly live = new LiveSlotSet();
  readonly #db: Database;
  readonly #insertDocument: Statement;
  readonly #insertPassage: Statement;
  readonly #movePassage: Statement;
  readonly #bySlot: Statement;
  readonly #idBySlot: Statement;
  #version = 0;

  private constructor(db: Database) {
    this.#db = db;
    this.#insertDocument = db.prepare(
      'INSERT INTO documents (file, name, title, verbatim, record_line) VALUES (?, ?, ?, ?, ?)',
    );
    this.#insertPassage = db.prepare(
      `INSERT INTO passages (document, id, start, end, first_line, last_line, hash, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#movePassage = db.prepare(
      'UPDATE passages SET document = ?, id = ?, start = ?, end = ?, first_line = ?, last_line = ? WHERE slot = ?',
    );
    this.#idBySlot = db.prepare('SELECT id FROM passages WHERE slot = ?');
    this.#bySlot = db.prepare(`${SELECT_PASSAGE} WHERE p.slot = ?`);
    for (const row of db
      .prepare(
        `SELECT p.slot FROM passages p JOIN documents d ON d.id = p.document JOIN files f ON f.id = d.file
         WHERE f.complete = 1`,
      )
      .iterate())
      this.live.add(Number(row['slot']));
  }

  /**
   * Opens the store, or begins a new one when it was made by another version or with another splitting.
   *
   * @param path a file, or `:memory:`
   * @param splitKey names how documents are split and which fields are read; a change empties the store
   * @returns the store, and whether it begins empty because of such a change
   * @throws ParallaxError `store-unusable`
   */
  static open(path: string, splitKey: string): { store: Store; reset: boolean } {
    const db = openDatabase(path);
    const identity = `${SCHEMA_VERSION} ${splitKey}`;
    db.exec(TABLES);
    const found = db.prepare('SELECT value FROM meta WHERE key = ?').get('identity')?.['value'];
    const reset = found !== identity;
    if (reset) db.transaction(() => begin(db, identity));
    db.exec('DELETE FROM files WHERE complete = 0');
    return { store: new Store(db), reset };
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Names this generation of slots. They are counted anew when the store is emptied, and indexes of an
   * earlier generation must then not be taken for those of this one.
   */
  get epoch(): string {
    return this.get('epoch') ?? '';
  }

  /** Changes whenever the set of live passages does. */
  get version(): number {
    return this.#version;
  }

  get(key: string): string | undefined {
    const value = this.#db.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.['value'];
    return typeof value === 'string' ? value : undefined;
  }

  set(key: string, value: string): void {
    this.#db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
  }

  knownFiles(): Map<string, KnownFile> {
    const files = new Map<string, KnownFile>();
    for (const row of this.#db
      .prepare('SELECT path, size, mtime, hash FROM files WHERE complete = 1')
      .iterate())
      files.set(text(row, 'path'), {
        size: number(row, 'size'),
        mtimeMs: number(row, 'mtime'),
        hash: text(row, 'hash'),
      });
    return files;
  }

  /** Starts to store a file. Until {@link endFile}, readers see the passages of its former version. */
  beginFile(path: string, file: KnownFile): PendingFile {
    return this.#db.transaction(() => {
      const former = this.#db.prepare('SELECT id FROM files WHERE path = ? AND complete = 1').get(path);
      const replaces = former && number(former, 'id');
      const reusable = new Map<string, Slot[]>();
      if (replaces !== undefined) {
        // Should we be interrupted, the former version no longer counts as up to date.
        this.#db.prepare("UPDATE files SET hash = '', mtime = 0 WHERE id = ?").run(replaces);
        for (const row of this.#passagesOfFile(replaces)) {
          const hash = hex(row['hash']);
          const slots = reusable.get(hash);
          if (slots) slots.push(number(row, 'slot'));
          else reusable.set(hash, [number(row, 'slot')]);
        }
      }
      const { lastInsertRowid } = this.#db
        .prepare('INSERT INTO files (path, size, mtime, hash, complete) VALUES (?, ?, ?, ?, 0)')
        .run(path, file.size, file.mtimeMs, file.hash);
      return { id: lastInsertRowid, path, replaces, reusable, added: [] };
    });
  }

  addDocuments(file: PendingFile, documents: readonly DocumentWithPassages[]): void {
    this.#db.transaction(() => {
      for (const { document, passages } of documents) this.#addDocument(file, document, passages);
    });
  }

  #addDocument(file: PendingFile, document: ExtractedDocument, passages: readonly NewPassage[]): void {
    const { lastInsertRowid: row } = this.#insertDocument.run(
      file.id,
      document.id,
      document.title,
      document.verbatim ? 1 : 0,
      document.recordLine ?? null,
    );
    for (const { id, span, lines, text: passageText } of passages) {
      const hash = textHash(passageText);
      const kept = file.reusable.get(hash)?.pop();
      if (kept !== undefined)
        this.#movePassage.run(row, id, span.start, span.end, lines.startLine, lines.endLine, kept);
      else
        file.added.push(
          this.#insertPassage.run(
            row,
            id,
            span.start,
            span.end,
            lines.startLine,
            lines.endLine,
            Buffer.from(hash, 'hex'),
            passageText,
          ).lastInsertRowid,
        );
    }
  }

  /** The file is whole: it takes the place of its former version. Returns the slots that are new. */
  endFile(file: PendingFile, final: KnownFile): readonly Slot[] {
    this.#db.transaction(() => {
      if (file.replaces !== undefined) this.#db.prepare('DELETE FROM files WHERE id = ?').run(file.replaces);
      this.#db
        .prepare('UPDATE files SET complete = 1, size = ?, mtime = ?, hash = ? WHERE id = ?')
        .run(final.size, final.mtimeMs, final.hash, file.id);
    });
    this.#version++;
    for (const slots of file.reusable.values()) for (const slot of slots) this.live.delete(slot);
    for (const slot of file.added) this.live.add(slot);
    return file.added;
  }

  /** Gives a started file up, e.g. because it turned out to be broken: nothing of it stays. */
  abandonFile(file: PendingFile): void {
    this.#db.prepare('DELETE FROM files WHERE id = ?').run(file.id);
    this.deleteFile(file.path);
  }

  /** Same content, new time stamp. */
  touchFile(path: string, file: KnownFile): void {
    this.#db
      .prepare('UPDATE files SET size = ?, mtime = ? WHERE path = ? AND complete = 1')
      .run(file.size, file.mtimeMs, path);
  }

  deleteFile(path: string): void {
    const slots: Slot[] = [];
    this.#db.transaction(() => {
      for (const row of this.#db.prepare('SELECT id FROM files WHERE path = ?').all(path)) {
        const id = number(row, 'id');
        for (const passage of this.#passagesOfFile(id)) slots.push(number(passage, 'slot'));
        this.#db.prepare('DELETE FROM files WHERE id = ?').run(id);
      }
    });
    if (slots.length > 0) this.#version++;
    for (const slot of slots) this.live.delete(slot);
  }

  #passagesOfFile(file: number): Row[] {
    return this.#db
      .prepare('SELECT p.slot, p.hash FROM passages p JOIN documents d ON d.id = p.document WHERE d.file = ?')
      .all(file);
  }

  /** Replaces the report on what could not be read. */
  setSkipped(files: readonly SkippedFile[]): void {
    this.#db.transaction(() => {
      this.#db.exec('DELETE FROM skipped');
      const insert = this.#db.prepare('INSERT INTO skipped (path, reason, message) VALUES (?, ?, ?)');
      for (const { path, reason, message } of files) insert.run(path, reason, message);
    });
  }

  skipped(): SkippedFile[] {
    return this.#db
      .prepare('SELECT path, reason, message FROM skipped ORDER BY path')
      .all()
      .map((row) => ({
        path: text(row, 'path'),
        reason: text(row, 'reason'),
        message: text(row, 'message'),
      }));
  }

  counts(): { documents: number; passages: number; skipped: number } {
    const count = (sql: string): number => Number(this.#db.prepare(sql).get()?.['n'] ?? 0);
    return {
      documents: count(
        'SELECT count(*) AS n FROM documents d JOIN files f ON f.id = d.file WHERE f.complete = 1',
      ),
      passages: this.live.count,
      skipped: count('SELECT count(*) AS n FROM skipped'),
    };
  }

  /** The id of the live passage in a slot: much cheaper than the whole {@link passage}. */
  idOf(slot: Slot): string | undefined {
    const row = this.live.has(slot) ? this.#idBySlot.get(slot) : undefined;
    return row && text(row, 'id');
  }

  /** The live passage in a slot. */
  passage(slot: Slot): StoredPassage | undefined {
    const row = this.#bySlot.get(slot);
    return row && storedPassage(row);
  }

  /** The first live passage with this id. */
  passageById(id: string): StoredPassage | undefined {
    const row = this.#db.prepare(`${SELECT_PASSAGE} WHERE p.id = ? ORDER BY p.slot`).get(id);
    return row && storedPassage(row);
  }

  /** Live passages of a document in reading order. */
  passagesOf(documentId: string): StoredPassage[] {
    return this.#db
      .prepare(`${SELECT_PASSAGE} WHERE d.name = ? ORDER BY p.start`)
      .all(documentId)
      .map(storedPassage);
  }

  /**
   * Slots and texts of the next live passages from a slot on, in slot order: what derived indexes are
   * built from. Empty at the end.
   *
   * @param limit how many rows to read; fewer are returned where some are not live
   */
  texts(from: Slot, limit: number): { texts: { slot: Slot; text: string }[]; next: Slot | undefined } {
    const rows = this.#db
      .prepare('SELECT slot, text FROM passages WHERE slot >= ? ORDER BY slot LIMIT ?')
      .all(from, limit);
    const last = rows.at(-1);
    return {
      texts: rows
        .map((row) => ({ slot: number(row, 'slot'), text: text(row, 'text') }))
        .filter(({ slot }) => this.live.has(slot)),
      next: last && rows.length === limit ? number(last, 'slot') + 1 : undefined,
    };
  }

  /** Like {@link texts}, with the hash of each text instead. */
  hashes(from: Slot, limit: number): { hashes: { slot: Slot; hash: string }[]; next: Slot | undefined } {
    const rows = this.#db
      .prepare('SELECT slot, hash FROM passages WHERE slot >= ? ORDER BY slot LIMIT ?')
      .all(from, limit);
    const last = rows.at(-1);
    return {
      hashes: rows
        .map((row) => ({ slot: number(row, 'slot'), hash: hex(row['hash']) }))
        .filter(({ slot }) => this.live.has(slot)),
      next: last && rows.length === limit ? number(last, 'slot') + 1 : undefined,
    };
  }

  /** The path of the file that a document with this id comes from. */
  pathOf(documentId: string): string | undefined {
    const row = this.#db
      .prepare(
        'SELECT f.path FROM documents d JOIN files f ON f.id = d.file AND f.complete = 1 WHERE d.name = ?',
      )
      .get(documentId);
    return row && text(row, 'path');
  }

  /** Texts of the given live slots, in the given order. */
  textsOf(slots: readonly Slot[]): string[] {
    const statement = this.#db.prepare('SELECT text FROM passages WHERE slot = ?');
    return slots.map((slot) => String(statement.get(slot)?.['text'] ?? ''));
  }
}

/** Empties the store: a new identity, and a new generation of slots. */
function begin(db: Database, identity: string): void {
  db.exec(TABLE_NAMES.map((name) => `DROP TABLE IF EXISTS ${name};`).join(''));
  db.exec(TABLES);
  const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
  insert.run('identity', identity);
  insert.run('epoch', randomUUID());
}

function storedPassage(row: Row): StoredPassage {
  const recordLine = row['record_line'];
  return {
    slot: number(row, 'slot'),
    id: text(row, 'id'),
    documentId: text(row, 'name'),
    title: text(row, 'title'),
    text: text(row, 'text'),
    hash: hex(row['hash']),
    span: { start: number(row, 'start'), end: number(row, 'end') },
    lines: { startLine: number(row, 'first_line'), endLine: number(row, 'last_line') },
    path: text(row, 'path'),
    verbatim: number(row, 'verbatim') === 1,
    ...(typeof recordLine === 'number' ? { recordLine } : {}),
  };
}

const text = (row: Row, column: string): string => String(row[column]);
const number = (row: Row, column: string): number => Number(row[column]);
const hex = (value: unknown): string => Buffer.from(value as Uint8Array).toString('hex');
