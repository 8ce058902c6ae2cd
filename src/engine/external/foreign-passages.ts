/**
 * Passages that the index of the corpus does not hold, and that a retriever returned: another splitting, another
 * collection, or a corpus that lives in a store as a whole. They are kept with their text, so that they can be judged,
 * shown and ranked like all others.
 */
import * as z from 'zod';
import type { AboutRecord } from '../../core/external/about-record.ts';
import type { DocumentFields } from '../../core/text/fields.ts';
import type { Slot, StoredPassage } from '../types.ts';
import type { Database, Row, Statement } from '../store/database.ts';
import { createTables, noteTables } from '../store/tables.ts';
import { textHash } from '../store/store.ts';

/** The first table knew passages by their texts alone, and nothing about them. */
const FORMER = 'foreign_passages_1';
const TABLES = `
  CREATE TABLE IF NOT EXISTS foreign_passages_2 (
    number INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
    text TEXT NOT NULL, about TEXT NOT NULL, UNIQUE (hash, id));
  CREATE INDEX IF NOT EXISTS foreign_passages_2_ids ON foreign_passages_2 (id)`;

/** They are cheap to fetch again; an index that is years old must not keep all that was ever retrieved. */
const KEPT = 100_000;

/** Ids of passages that are known by their texts begin with this; no document's path does. */
export const FOREIGN_PREFIX = 'foreign:';

/** Slots of foreign passages are negative, so that no index of the corpus can mistake them for its own. */
export const isForeign = (slot: Slot): boolean => slot < 0;

/** A passage as its retriever hands it over. */
export interface ForeignPassage {
  readonly text?: string | undefined;
  /** The retriever's word for it, and its title where nothing else is known. */
  readonly name: string;
  readonly about?: AboutRecord | undefined;
}

export class ForeignPassages {
  readonly #db: Database;
  readonly #bySlot: Statement;
  readonly #idOf: Statement;
  readonly #byId: Statement;
  readonly #byHash: Statement;
  readonly #known: Statement;
  readonly #keep: Statement;

  constructor(db: Database) {
    this.#db = db;
    createTables(db, TABLES);
    this.#takeOver();
    db.exec(
      `DELETE FROM foreign_passages_2 WHERE number <= (SELECT max(number) FROM foreign_passages_2) - ${KEPT}`,
    );
    const select = (column: string): Statement =>
      db.prepare(`SELECT * FROM foreign_passages_2 WHERE ${column} = ? ORDER BY number DESC LIMIT 1`);
    this.#bySlot = select('number');
    this.#idOf = db.prepare('SELECT id FROM foreign_passages_2 WHERE number = ?');
    this.#byId = select('id');
    this.#byHash = select('hash');
    this.#known = db.prepare('SELECT number, about FROM foreign_passages_2 WHERE hash = ? AND id = ?');
    // Another window may have kept it in between.
    this.#keep = db.prepare(
      `INSERT INTO foreign_passages_2 (hash, id, name, text, about) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (hash, id) DO UPDATE SET about = excluded.about RETURNING number`,
    );
  }

  /** What is added by `work` is written at once, which takes a fraction of the time. */
  together<T>(work: () => T): T {
    return this.#db.transaction(work);
  }

  /**
   * Remembers a passage by its text: the same text is the same passage, whatever it is called. One that came
   * without its text is remembered by its name; its text is empty, and nobody can judge it.
   */
  add(passage: ForeignPassage): Slot {
    const hash = textHash(passage.text ?? `without text: ${passage.name}`);
    return this.#put(FOREIGN_PREFIX + hash, hash, passage);
  }

  /** Remembers a record of the store in which the corpus lives. Its name is its id; the text that came last counts. */
  addRecord(passage: ForeignPassage & { readonly text: string }): Slot {
    return this.#put(passage.name, textHash(passage.text), passage);
  }

  passage(slot: Slot): StoredPassage | undefined {
    return passageOf(this.#bySlot.get(-slot));
  }

  /** Undefined where it is gone. */
  idOf(slot: Slot): string | undefined {
    const row = this.#idOf.get(-slot);
    return row && String(row['id']);
  }

  /** @param id of a record, or with the {@link FOREIGN_PREFIX} */
  passageById(id: string): StoredPassage | undefined {
    return passageOf(this.#byId.get(id));
  }

  passageByHash(hash: string): StoredPassage | undefined {
    return passageOf(this.#byHash.get(hash));
  }

  /** The fields of records that came last, `most` at most; nothing for one that has none. */
  someFields(most: number): (DocumentFields | undefined)[] {
    return this.#db
      .prepare('SELECT about FROM foreign_passages_2 WHERE id NOT LIKE ? ORDER BY number DESC LIMIT ?')
      .all(`${FOREIGN_PREFIX}%`, most)
      .map((row) => aboutOf(row).fields);
  }

  close(): void {
    this.#db.close();
  }

  #put(id: string, hash: string, { name, text = '', about = {} }: ForeignPassage): Slot {
    const known = this.#known.get(hash, id);
    const told = JSON.stringify(about);
    const row = known?.['about'] === told ? known : this.#keep.get(hash, id, name, text, told);
    return -Number(row?.['number']);
  }

  #takeOver(): void {
    const former = this.#db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(FORMER);
    if (!former) return;
    this.#db.transaction(() => {
      this.#db.exec(
        `INSERT OR IGNORE INTO foreign_passages_2 (number, hash, id, name, text, about)
           SELECT number, hash, '${FOREIGN_PREFIX}' || hash, name, text, '{}' FROM ${FORMER};
         DROP TABLE ${FORMER}`,
      );
      noteTables(this.#db);
    });
  }
}

const aboutSchema = z.object({
  title: z.string().optional(),
  source: z.string().optional(),
  page: z.string().optional(),
  fields: z.record(z.string(), z.string()).optional(),
});

const aboutOf = (row: Row): z.output<typeof aboutSchema> =>
  aboutSchema.parse(JSON.parse(String(row['about'])));

function passageOf(row: Row | undefined): StoredPassage | undefined {
  if (!row) return undefined;
  const text = String(row['text']);
  const id = String(row['id']);
  const { title, source, page, fields } = aboutOf(row);
  return {
    slot: -Number(row['number']),
    id,
    documentId: id,
    title: title ?? (source === undefined ? String(row['name']) : lastPart(source)),
    ...(page === undefined ? {} : { section: `p. ${page}` }),
    ...(source === undefined ? {} : { source }),
    ...(fields === undefined ? {} : { fields }),
    text,
    hash: String(row['hash']),
    span: { start: 0, end: text.length },
    lines: { startLine: 0, endLine: text.split('\n').length - 1 },
    path: '',
    verbatim: false,
  };
}

/** A file's name, or the last part of an address. */
function lastPart(source: string): string {
  return source.split(/[/\\]/u).findLast((part) => part !== '') ?? source;
}
