/**
 * Passages that the index of the corpus does not hold, and that a retriever returned: another splitting, another
 * collection, or a corpus that lives in a store as a whole. They are kept with their text, so that they can be judged,
 * shown and ranked like all others.
 */
import * as z from 'zod';
import type { AboutRecord } from '../../core/external/about-record.ts';
import type { DocumentFields } from '../../core/text/fields.ts';
import type { Slot, StoredPassage } from '../types.ts';
import type { Database, Row } from '../store/database.ts';
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
  /** What the retriever calls it; its title where nothing else is known. */
  readonly name: string;
  readonly about?: AboutRecord | undefined;
}

export class ForeignPassages {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    createTables(db, TABLES);
    this.#takeOver();
    db.exec(
      `DELETE FROM foreign_passages_2 WHERE number <= (SELECT max(number) FROM foreign_passages_2) - ${KEPT}`,
    );
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
    return passageOf(this.#db.prepare('SELECT * FROM foreign_passages_2 WHERE number = ?').get(-slot));
  }

  /** @param id of a record, or with the {@link FOREIGN_PREFIX} */
  passageById(id: string): StoredPassage | undefined {
    return passageOf(
      this.#db.prepare('SELECT * FROM foreign_passages_2 WHERE id = ? ORDER BY number DESC LIMIT 1').get(id),
    );
  }

  passageByHash(hash: string): StoredPassage | undefined {
    return passageOf(
      this.#db
        .prepare('SELECT * FROM foreign_passages_2 WHERE hash = ? ORDER BY number DESC LIMIT 1')
        .get(hash),
    );
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
    const known = this.#db
      .prepare('SELECT number, about FROM foreign_passages_2 WHERE hash = ? AND id = ?')
      .get(hash, id);
    const told = JSON.stringify(about);
    if (known?.['about'] === told) return -Number(known['number']);
    if (known)
      this.#db
        .prepare('UPDATE foreign_passages_2 SET about = ? WHERE number = ?')
        .run(told, Number(known['number']));
    else
      this.#db
        .prepare(
          'INSERT INTO foreign_passages_2 (hash, id, name, text, about) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        )
        .run(hash, id, name, text, told);
    const row = this.#db
      .prepare('SELECT number FROM foreign_passages_2 WHERE hash = ? AND id = ?')
      .get(hash, id);
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
