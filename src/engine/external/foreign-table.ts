/**
 * The table of foreign passages on disk. A search of a store may return a hundred new ones, so rows are only
 * appended, without an index whose pages would be rewritten for every one of them.
 */
import { number, text, type Database, type Row, type Statement } from '../store/database.ts';
import { createTables } from '../store/tables.ts';
import { textHash } from '../text-sums.ts';
import { FOREIGN_PREFIX, type KeptPassage } from './kept-passage.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS foreign_passages_3 (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, hash TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL,
    text TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS foreign_numbers (only INTEGER PRIMARY KEY CHECK (only = 1), taken INTEGER NOT NULL)`;

/** A limit, so that an old index does not keep everything ever retrieved. They are cheap to fetch again. */
const KEPT = 100_000;

/** Numbers that one window reserves at once, so that no other window uses them. */
const NUMBERS = 1_000;

export class ForeignTable {
  readonly #db: Database;
  readonly #dataVersion: Statement;
  readonly #byNumber: Statement;
  readonly #idOf: Statement;
  readonly #keep: Statement;
  readonly #takeNumbers: Statement;
  #nextNumber = 0;
  #lastNumber = -1;

  constructor(db: Database) {
    this.#db = db;
    this.#dataVersion = db.prepare('PRAGMA data_version');
    createTables(db, TABLES);
    this.#byNumber = db.prepare(
      'SELECT id, hash, name, about, text FROM foreign_passages_3 WHERE number = ?',
    );
    this.#idOf = db.prepare('SELECT id FROM foreign_passages_3 WHERE number = ?');
    this.#keep = db.prepare(
      'INSERT OR REPLACE INTO foreign_passages_3 (number, id, hash, name, about, text) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#takeNumbers = db.prepare(
      `INSERT INTO foreign_numbers VALUES (1, ${NUMBERS})
         ON CONFLICT DO UPDATE SET taken = taken + ${NUMBERS} RETURNING taken`,
    );
  }

  /** Changes after another window has written. */
  get version(): unknown {
    return this.#dataVersion.get()?.['data_version'];
  }

  /** `undefined` if it is gone. */
  passage(number: number): KeptPassage | undefined {
    const row = this.#byNumber.get(number);
    return row && keptOf(row);
  }

  /** `undefined` if it is gone. */
  idOf(number: number): string | undefined {
    const row = this.#idOf.get(number);
    return row && text(row, 'id');
  }

  /** The ids of all rows with their numbers, the newest first. */
  ids(): [id: string, number: number][] {
    // Read as texts, because a hundred thousand rows would each become an object.
    const listed = this.#db
      .prepare(
        `SELECT json_group_array(id) AS ids, json_group_array(number) AS numbers
           FROM (SELECT id, number FROM foreign_passages_3 ORDER BY number DESC)`,
      )
      .get()!;
    const numbers = JSON.parse(text(listed, 'numbers')) as number[];
    const ids = JSON.parse(text(listed, 'ids')) as string[];
    return ids.map((id, place) => [id, numbers[place]!]);
  }

  /** Removes the oldest rows beyond the limit. @param ids all rows, as {@link ids} lists them */
  forgetOldest(ids: readonly (readonly [id: string, number: number])[]): void {
    const last = ids[KEPT];
    if (last) this.#db.prepare('DELETE FROM foreign_passages_3 WHERE number <= ?').run(last[1]);
  }

  /** Hashes in the order of the numbers, at most `limit`. */
  hashes(from: number, limit: number): { number: number; hash: string }[] {
    return this.#db
      .prepare('SELECT number, hash FROM foreign_passages_3 WHERE number >= ? ORDER BY number LIMIT ?')
      .all(from, limit)
      .map((row) => ({ number: number(row, 'number'), hash: text(row, 'hash') }));
  }

  /** In its written form, what is known about at most `most` newest records. */
  latestAbout(most: number): string[] {
    return this.#db
      .prepare('SELECT about FROM foreign_passages_3 WHERE id NOT LIKE ? ORDER BY number DESC LIMIT ?')
      .all(`${FOREIGN_PREFIX}%`, most)
      .map((row) => text(row, 'about'));
  }

  /** A number that no passage has, in this window or another. */
  newNumber(): number {
    if (this.#nextNumber > this.#lastNumber) {
      this.#lastNumber = this.#db.transaction(() => Number(this.#takeNumbers.get()?.['taken']));
      this.#nextNumber = this.#lastNumber - NUMBERS + 1;
    }
    return this.#nextNumber++;
  }

  write(rows: readonly (readonly [number: number, passage: KeptPassage])[]): void {
    this.#db.transaction(() => {
      for (const [number, { id, hash, name, about, text }] of rows)
        this.#keep.run(number, id, hash ?? textHash(text), name, about, text);
    });
  }

  close(): void {
    this.#db.close();
  }
}

function keptOf(row: Row): KeptPassage {
  return {
    id: text(row, 'id'),
    hash: text(row, 'hash'),
    name: text(row, 'name'),
    about: text(row, 'about'),
    text: text(row, 'text'),
  };
}
