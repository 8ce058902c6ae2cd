/**
 * Passages that the user's own retriever returned and that the corpus does not hold: another splitting, another
 * collection. They are kept with their text, so that they can be judged, shown and ranked like all others.
 */
import type { Slot, StoredPassage } from '../types.ts';
import type { Database, Row } from '../store/database.ts';
import { createTables } from '../store/tables.ts';
import { textHash } from '../store/store.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS foreign_passages_1 (
    number INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, text TEXT NOT NULL)`;

/** They are cheap to fetch again; an index that is years old must not keep all that was ever retrieved. */
const KEPT = 100_000;

/** Ids of foreign passages begin with this; no document's path does. */
export const FOREIGN_PREFIX = 'foreign:';

/** Slots of foreign passages are negative, so that no index of the corpus can mistake them for its own. */
export const isForeign = (slot: Slot): boolean => slot < 0;

export class ForeignPassages {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    createTables(db, TABLES);
    db.exec(
      `DELETE FROM foreign_passages_1 WHERE number <= (SELECT max(number) FROM foreign_passages_1) - ${KEPT}`,
    );
  }

  /**
   * Remembers a passage by its text: the same text is the same passage, whatever it is called. One that came
   * without its text is remembered by its name; its text is empty, and nobody can judge it.
   *
   * @param name what the retriever calls it; shown as its title
   */
  add(text: string | undefined, name: string): Slot {
    const hash = textHash(text ?? `without text: ${name}`);
    this.#db
      .prepare('INSERT INTO foreign_passages_1 (hash, name, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
      .run(hash, name, text ?? '');
    const row = this.#db.prepare('SELECT number FROM foreign_passages_1 WHERE hash = ?').get(hash);
    return -Number(row?.['number']);
  }

  passage(slot: Slot): StoredPassage | undefined {
    return passageOf(this.#db.prepare('SELECT * FROM foreign_passages_1 WHERE number = ?').get(-slot));
  }

  /** @param id with its {@link FOREIGN_PREFIX} */
  passageById(id: string): StoredPassage | undefined {
    const hash = id.slice(FOREIGN_PREFIX.length);
    return passageOf(this.#db.prepare('SELECT * FROM foreign_passages_1 WHERE hash = ?').get(hash));
  }

  close(): void {
    this.#db.close();
  }
}

function passageOf(row: Row | undefined): StoredPassage | undefined {
  if (!row) return undefined;
  const text = String(row['text']);
  const hash = String(row['hash']);
  const id = FOREIGN_PREFIX + hash;
  return {
    slot: -Number(row['number']),
    id,
    documentId: id,
    title: String(row['name']),
    text,
    hash,
    span: { start: 0, end: text.length },
    lines: { startLine: 0, endLine: text.split('\n').length - 1 },
    path: '',
    verbatim: false,
  };
}
