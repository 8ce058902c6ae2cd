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
import { RecentMap } from './recent-map.ts';
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

/** At most, records that came lately, known without asking the database: the same ones come back for many questions. */
const REMEMBERED = 40_000;

/** Rows that wait to be written; what is handed out has its number before. */
const MOST_WAITING = 1_000;
/** Rows written at one go, which takes a few milliseconds. */
const PORTION = 500;
/** The next answer of a store comes first. */
const WRITE_AFTER_MS = 20;
/** Numbers that one window takes at one go, so that no other gives them. */
const NUMBERS = 500;

/** Rows that one statement asks for. */
const ASKED = 50;

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

/** One that can be read, and that its id names. */
type TextRecord = ForeignPassage & { readonly text: string };

/** A row of the table that is not written yet. */
interface Waiting {
  readonly number: number;
  readonly hash: string;
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly about: string;
}

/** A passage with what it is kept by. */
interface Keyed {
  /** Of hash and id. */
  readonly key: string;
  readonly hash: string;
  readonly id: string;
  readonly passage: ForeignPassage;
}

/** A record as it was kept. */
interface Remembered {
  readonly text: string;
  /** As it is written in the database. */
  readonly about: string;
  readonly slot: Slot;
}

export class ForeignPassages {
  readonly #db: Database;
  /** By their ids. */
  readonly #remembered = new RecentMap<string, Remembered>(REMEMBERED);
  readonly #idBySlot = new RecentMap<Slot, string>(REMEMBERED);
  /** Changes when another window writes, which may take away what is remembered here. */
  #dataVersion: unknown;
  readonly #dataVersionNow: Statement;
  readonly #bySlot: Statement;
  readonly #idOf: Statement;
  readonly #byId: Statement;
  readonly #byHash: Statement;
  readonly #known: Statement;
  readonly #knownOf: Statement;
  readonly #keep: Statement;
  readonly #takeNumbers: Statement;
  /** By hash and id. Nothing that was paid for: what is lost with the process is fetched again. */
  readonly #waiting = new Map<string, Waiting>();
  /** Numbers that were handed out for what another window had written under its own. */
  readonly #writtenAs = new Map<number, number>();
  #nextNumber = 0;
  #lastNumber = -1;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database) {
    this.#db = db;
    this.#dataVersionNow = db.prepare('PRAGMA data_version');
    this.#dataVersion = this.#readDataVersion();
    createTables(db, TABLES);
    this.#takeOver();
    this.#beginNumbers();
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
    const wanted = Array.from({ length: ASKED }, (_, place) => `(${place}, ?, ?)`).join(', ');
    this.#knownOf = db.prepare(
      `WITH wanted (place, hash, id) AS (VALUES ${wanted})
         SELECT place, number, about FROM wanted CROSS JOIN foreign_passages_2 kept
         ON kept.hash = wanted.hash AND kept.id = wanted.id`,
    );
    // Another window may have kept it in between.
    this.#keep = db.prepare(
      `INSERT INTO foreign_passages_2 (number, hash, id, name, text, about) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET about = excluded.about RETURNING number`,
    );
    this.#takeNumbers = db.prepare(
      `UPDATE sqlite_sequence SET seq = seq + ${NUMBERS} WHERE name = 'foreign_passages_2' RETURNING seq`,
    );
  }

  /** What is added by `work` is kept as a whole, or not at all where it throws. */
  together<T>(work: () => T): T {
    const before = this.#waiting.size;
    try {
      this.#forgetWhatOthersChanged();
      return work();
    } catch (error) {
      for (const key of [...this.#waiting.keys()].slice(before)) this.#waiting.delete(key);
      this.#forget();
      throw error;
    }
  }

  /**
   * Remembers a passage by its text: the same text is the same passage, whatever it is called. One that came
   * without its text is remembered by its name; its text is empty, and nobody can judge it.
   */
  add(passage: ForeignPassage): Slot {
    const entry = keyOfText(passage);
    const slot = this.#put(entry, this.#known.get(entry.hash, entry.id));
    this.#settle();
    return slot;
  }

  /**
   * Remembers records of the store in which the corpus lives. The name of each is its id; the text that came last counts.
   * Without a name, or a text to read, it is a passage as {@link add} knows them.
   */
  addRecords(records: readonly ForeignPassage[]): Slot[] {
    const known = records.map((record) => this.#rememberedAs(record));
    const others = records.flatMap((record, place) => (known[place] ? [] : keyOf(record)));
    const kept = this.#rowsOf(others.filter(({ key }) => !this.#waiting.has(key)));
    const slots = others.map((entry) => this.#put(entry, kept.get(entry.key)));
    this.#settle();
    for (const [place, { id, passage }] of others.entries())
      if (isRecord(passage)) this.#remember(id, passage, slots[place]!);
    let next = 0;
    return known.map((slot) => slot ?? slots[next++]!);
  }

  passage(slot: Slot): StoredPassage | undefined {
    this.#write();
    const passage = passageOf(this.#bySlot.get(this.#numberOf(slot)));
    return passage && { ...passage, slot };
  }

  /** Undefined where it is gone. */
  idOf(slot: Slot): string | undefined {
    const remembered = this.#idBySlot.get(slot);
    if (remembered !== undefined) return remembered;
    this.#write();
    const row = this.#idOf.get(this.#numberOf(slot));
    return row && String(row['id']);
  }

  /** @param id of a record, or with the {@link FOREIGN_PREFIX} */
  passageById(id: string): StoredPassage | undefined {
    this.#write();
    return passageOf(this.#byId.get(id));
  }

  passageByHash(hash: string): StoredPassage | undefined {
    this.#write();
    return passageOf(this.#byHash.get(hash));
  }

  /** The fields of records that came last, `most` at most; nothing for one that has none. */
  someFields(most: number): (DocumentFields | undefined)[] {
    this.#write();
    return this.#db
      .prepare('SELECT about FROM foreign_passages_2 WHERE id NOT LIKE ? ORDER BY number DESC LIMIT ?')
      .all(`${FOREIGN_PREFIX}%`, most)
      .map((row) => aboutOf(row).fields);
  }

  close(): void {
    clearTimeout(this.#timer);
    try {
      this.#write();
    } finally {
      this.#db.close();
    }
  }

  #remember(id: string, { text, about }: TextRecord, slot: Slot): void {
    this.#remembered.set(id, { text, about: written(about), slot });
    this.#idBySlot.set(slot, id);
  }

  #forget(): void {
    this.#remembered.clear();
    this.#idBySlot.clear();
  }

  /** Undefined where it is not remembered just as it is. */
  #rememberedAs({ name, text, about }: ForeignPassage): Slot | undefined {
    const known = this.#remembered.get(name);
    return known?.text === text && known?.about === written(about) ? known?.slot : undefined;
  }

  /** What is in the table, by {@link Keyed.key}. Asked for together, which is quicker than one by one. */
  #rowsOf(wanted: readonly Keyed[]): Map<string, Row> {
    const rows = new Map<string, Row>();
    for (let from = 0; from < wanted.length; from += ASKED) {
      const portion = wanted.slice(from, from + ASKED);
      const filled = Array.from({ length: ASKED }, (_, place) => portion[place]);
      const found = this.#knownOf.all(...filled.flatMap((one) => [one?.hash ?? null, one?.id ?? null]));
      for (const row of found) rows.set(portion[Number(row['place'])]!.key, row);
    }
    return rows;
  }

  #forgetWhatOthersChanged(): void {
    const version = this.#readDataVersion();
    if (version !== this.#dataVersion) this.#forget();
    this.#dataVersion = version;
  }

  #readDataVersion(): unknown {
    return this.#dataVersionNow.get()?.['data_version'];
  }

  /** @param kept its row, where it is written */
  #put({ key, id, hash, passage: { name, text = '', about } }: Keyed, kept: Row | undefined): Slot {
    const known = this.#waiting.get(key) ?? kept;
    const told = written(about);
    const number = known ? Number(known['number']) : this.#newNumber();
    if (known?.['about'] === told) return -number;
    this.#waiting.set(key, { number, hash, id, name, text, about: told });
    return -number;
  }

  #settle(): void {
    if (this.#waiting.size >= MOST_WAITING) this.#write();
    else if (this.#waiting.size > 0) this.#writeSoon();
  }

  #newNumber(): number {
    if (this.#nextNumber > this.#lastNumber) {
      this.#lastNumber = this.#db.transaction(() => Number(this.#takeNumbers.get()?.['seq']));
      this.#nextNumber = this.#lastNumber - NUMBERS + 1;
    }
    return this.#nextNumber++;
  }

  #numberOf(slot: Slot): number {
    return this.#writtenAs.get(-slot) ?? -slot;
  }

  /** A failure is told to whoever reads or adds next. */
  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        this.#write(PORTION);
      } catch {
        return;
      }
      if (this.#waiting.size > 0) this.#writeSoon();
    }, WRITE_AFTER_MS).unref();
  }

  /** @param most rows, those that wait longest */
  #write(most = Infinity): void {
    if (this.#waiting.size === 0) return;
    const rows = [...this.#waiting].slice(0, most);
    const numbers = this.#db.transaction(() =>
      rows.map(([, { number, hash, id, name, text, about }]) =>
        Number(this.#keep.get(number, hash, id, name, text, about)?.['number']),
      ),
    );
    for (const [place, [key, { number }]] of rows.entries()) {
      if (numbers[place] !== number) this.#writtenAs.set(number, numbers[place]!);
      this.#waiting.delete(key);
    }
  }

  /** The table's numbers are given by this class, and counted where SQLite counts its own. */
  #beginNumbers(): void {
    this.#db.exec(
      `INSERT INTO sqlite_sequence (name, seq) SELECT 'foreign_passages_2', 0
         WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'foreign_passages_2')`,
    );
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

function keyOf(passage: ForeignPassage): Keyed {
  return isRecord(passage) ? keyed(textHash(passage.text), passage.name, passage) : keyOfText(passage);
}

function keyOfText(passage: ForeignPassage): Keyed {
  const hash = textHash(passage.text ?? `without text: ${passage.name}`);
  return keyed(hash, FOREIGN_PREFIX + hash, passage);
}

function keyed(hash: string, id: string, passage: ForeignPassage): Keyed {
  return { key: `${hash} ${id}`, hash, id, passage };
}

function isRecord(passage: ForeignPassage): passage is TextRecord {
  return passage.name !== '' && passage.text !== undefined;
}

/** As it stands in the table. */
const written = (about: AboutRecord | undefined): string =>
  about === undefined ? '{}' : JSON.stringify(about);

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
