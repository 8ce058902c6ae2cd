/**
 * Passages that the index of the corpus does not hold, and that a retriever returned: another splitting, another
 * collection, or a corpus that lives in a store as a whole. They are kept with their text, so that they can be judged,
 * shown and ranked like all others.
 *
 * A search of a store may bring a hundred that were never seen before. So they are only ever appended on disk, without an
 * index there whose pages would be written again for every one of them; which ids there are is known in memory.
 */
import { aboutRecordSchema, type AboutRecord } from '../../core/external/about-record.ts';
import type { DocumentFields } from '../../core/text/fields.ts';
import type { Slot, StoredPassage } from '../types.ts';
import { number, text, type Database, type Row, type Statement } from '../store/database.ts';
import { RecentMap } from './recent-map.ts';
import { createTables, noteTables } from '../store/tables.ts';
import { textHash } from '../text-sums.ts';

/** The former table had two indexes. */
const FORMER = 'foreign_passages_2';
const TABLES = `
  CREATE TABLE IF NOT EXISTS foreign_passages_3 (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, hash TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL,
    text TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS foreign_numbers (only INTEGER PRIMARY KEY CHECK (only = 1), taken INTEGER NOT NULL)`;

/** They are cheap to fetch again; an index that is years old must not keep all that was ever retrieved. */
const KEPT = 100_000;

/** At most, records that came lately, known without asking the database: the same ones come back for many questions. */
const REMEMBERED = 40_000;

/** Rows that wait to be written. */
const MOST_WAITING = 1_000;
/** Rows written at one go, which takes a few milliseconds. */
const PORTION = 500;
/** The next answer of a store comes first. */
const WRITE_AFTER_MS = 20;
/** Numbers that one window takes at one go, so that no other gives them. */
const NUMBERS = 1_000;

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

/** A passage as it stands in the table, but for its number. */
interface Kept {
  readonly id: string;
  /** Of the text; absent while nobody needs it. */
  readonly hash?: string | undefined;
  readonly name: string;
  readonly about: string;
  readonly text: string;
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
  /** By id, the number that was given last; some hundred bytes each. Rows may be gone meanwhile. */
  readonly #numbers = new Map<string, number>();
  /** Of ids that have had several texts, the other numbers. */
  readonly #otherNumbers = new Map<string, number[]>();
  /** Changes when another window writes, which may take away what is remembered here. */
  #dataVersion: unknown;
  /** As it was when {@link #numbers} was read. */
  #numbersVersion: unknown;
  readonly #dataVersionNow: Statement;
  readonly #byNumber: Statement;
  readonly #idOf: Statement;
  readonly #keep: Statement;
  readonly #takeNumbers: Statement;
  /** By number. Nothing that was paid for: what is lost with the process is fetched again. */
  readonly #waiting = new Map<number, Kept>();
  #nextNumber = 0;
  #lastNumber = -1;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database) {
    this.#db = db;
    this.#dataVersionNow = db.prepare('PRAGMA data_version');
    createTables(db, TABLES);
    this.#takeOver();
    this.#dataVersion = this.#readDataVersion();
    this.#forgetOldest(this.#readNumbers());
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

  /** Keeps all that `work` adds, or none of it where it throws. */
  together<T>(work: () => T): T {
    const before = this.#waiting.size;
    try {
      this.#forgetWhatOthersChanged();
      return work();
    } catch (error) {
      for (const number of [...this.#waiting.keys()].slice(before)) this.#waiting.delete(number);
      this.#forget();
      throw error;
    }
  }

  /**
   * Remembers a passage by its text: the same text is the same passage, whatever it is called. One that came
   * without its text is remembered by its name; its text is empty, and nobody can judge it.
   */
  add(passage: ForeignPassage): Slot {
    const slot = this.#put(ofText(passage));
    this.#settle();
    return slot;
  }

  /**
   * Remembers records of the store in which the corpus lives. The name of each is its id; the text that came last counts.
   * Without a name, or a text to read, it is a passage as {@link add} knows them.
   */
  addRecords(records: readonly ForeignPassage[]): Slot[] {
    const slots = records.map((record) => {
      const { name, text, about } = record;
      return (
        this.#rememberedAs(name, text, written(about)) ??
        this.#put(isRecord(record) ? ofRecord(record) : ofText(record))
      );
    });
    this.#settle();
    return slots;
  }

  passage(slot: Slot): StoredPassage | undefined {
    const kept = this.#kept(-slot);
    return kept && passageOf(kept, slot);
  }

  /** Undefined where it is gone. */
  idOf(slot: Slot): string | undefined {
    const known = this.#idBySlot.get(slot) ?? this.#waiting.get(-slot)?.id;
    if (known !== undefined) return known;
    const row = this.#idOf.get(-slot);
    return row && text(row, 'id');
  }

  /** @param id of a record, or with the {@link FOREIGN_PREFIX} */
  passageById(id: string): StoredPassage | undefined {
    // Another window may have kept it since.
    if (!this.#numbers.has(id) && this.#readDataVersion() !== this.#numbersVersion) this.#readNumbers();
    for (const number of this.#numbersOf(id)) {
      const passage = this.passage(-number);
      if (passage) return passage;
    }
    return undefined;
  }

  /** Like `hashes` of the passages of the index, here in the order in which they came. @param from a number */
  hashes(from: number, limit: number): { hashes: { slot: Slot; hash: string }[]; next: number | undefined } {
    this.#write();
    const rows = this.#db
      .prepare('SELECT number, hash FROM foreign_passages_3 WHERE number >= ? ORDER BY number LIMIT ?')
      .all(from, limit);
    const last = rows.at(-1);
    return {
      hashes: rows.map((row) => ({ slot: -number(row, 'number'), hash: text(row, 'hash') })),
      next: last && rows.length === limit ? number(last, 'number') + 1 : undefined,
    };
  }

  /** The fields of records that came last, `most` at most; nothing for one that has none. */
  someFields(most: number): (DocumentFields | undefined)[] {
    this.#write();
    return this.#db
      .prepare('SELECT about FROM foreign_passages_3 WHERE id NOT LIKE ? ORDER BY number DESC LIMIT ?')
      .all(`${FOREIGN_PREFIX}%`, most)
      .map((row) => aboutOf(text(row, 'about')).fields);
  }

  close(): void {
    clearTimeout(this.#timer);
    try {
      this.#write();
    } finally {
      this.#db.close();
    }
  }

  /** Undefined where it is not remembered just as it is. */
  #rememberedAs(id: string, text: string | undefined, about: string): Slot | undefined {
    const known = this.#remembered.get(id);
    return known?.text === text && known?.about === about ? known?.slot : undefined;
  }

  #put(passage: Kept): Slot {
    const { id, about, text } = passage;
    const slot = -this.#keptAs(passage);
    this.#remembered.set(id, { text, about, slot });
    this.#idBySlot.set(slot, id);
    return slot;
  }

  /** @returns the number of a passage that is kept from now on, if it was not before */
  #keptAs(passage: Kept): number {
    const { id, about, text } = passage;
    for (const number of this.#numbersOf(id)) {
      const kept = this.#kept(number);
      if (kept?.text !== text) continue;
      if (kept.about !== about) this.#waiting.set(number, passage);
      this.#note(id, number);
      return number;
    }
    const number = this.#newNumber();
    this.#waiting.set(number, passage);
    this.#note(id, number);
    return number;
  }

  /** The last one first. */
  #numbersOf(id: string): number[] {
    const last = this.#numbers.get(id);
    return last === undefined ? [] : [last, ...(this.#otherNumbers.get(id) ?? [])];
  }

  /** Makes a number the last one of an id. */
  #note(id: string, number: number): void {
    const others = this.#numbersOf(id).filter((other) => other !== number);
    this.#numbers.set(id, number);
    if (others.length > 0) this.#otherNumbers.set(id, others);
  }

  /** Takes note of a number behind those that an id has already: what was handed out here stays. */
  #noteBehind(id: string, number: number): void {
    const known = this.#numbersOf(id);
    if (known.length === 0) this.#numbers.set(id, number);
    else if (!known.includes(number)) this.#otherNumbers.set(id, [...known.slice(1), number]);
  }

  #kept(number: number): Kept | undefined {
    const waiting = this.#waiting.get(number);
    if (waiting) return waiting;
    const row = this.#byNumber.get(number);
    return row && keptOf(row);
  }

  /** @returns all numbers in the table, descending */
  #readNumbers(): number[] {
    this.#numbersVersion = this.#readDataVersion();
    // As texts, because a hundred thousand rows would each become an object.
    const listed = this.#db
      .prepare(
        `SELECT json_group_array(id) AS ids, json_group_array(number) AS numbers
           FROM (SELECT id, number FROM foreign_passages_3 ORDER BY number DESC)`,
      )
      .get()!;
    const numbers = JSON.parse(text(listed, 'numbers')) as number[];
    const ids = JSON.parse(text(listed, 'ids')) as string[];
    for (const [place, id] of ids.entries()) this.#noteBehind(id, numbers[place]!);
    return numbers;
  }

  /** @param numbers descending */
  #forgetOldest(numbers: readonly number[]): void {
    const last = numbers[KEPT];
    if (last !== undefined) this.#db.prepare('DELETE FROM foreign_passages_3 WHERE number <= ?').run(last);
  }

  #forget(): void {
    this.#remembered.clear();
    this.#idBySlot.clear();
  }

  #forgetWhatOthersChanged(): void {
    const version = this.#readDataVersion();
    if (version !== this.#dataVersion) this.#forget();
    this.#dataVersion = version;
  }

  #readDataVersion(): unknown {
    return this.#dataVersionNow.get()?.['data_version'];
  }

  #newNumber(): number {
    if (this.#nextNumber > this.#lastNumber) {
      this.#lastNumber = this.#db.transaction(() => Number(this.#takeNumbers.get()?.['taken']));
      this.#nextNumber = this.#lastNumber - NUMBERS + 1;
    }
    return this.#nextNumber++;
  }

  #settle(): void {
    if (this.#waiting.size >= MOST_WAITING) this.#write();
    else if (this.#waiting.size > 0) this.#writeSoon();
  }

  /** Rows that could not be written wait on; the reason is told to whoever adds when too many do. */
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
    this.#db.transaction(() => {
      for (const [number, { id, hash, name, about, text }] of rows)
        this.#keep.run(number, id, hash ?? textHash(text), name, about, text);
    });
    for (const [number] of rows) this.#waiting.delete(number);
  }

  #takeOver(): void {
    const former = this.#db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(FORMER);
    if (!former) return;
    this.#db.transaction(() => {
      this.#db.exec(
        `INSERT OR IGNORE INTO foreign_passages_3 (number, id, hash, name, about, text)
           SELECT number, id, hash, name, about, text FROM ${FORMER};
         INSERT INTO foreign_numbers SELECT 1, seq FROM sqlite_sequence WHERE name = '${FORMER}'
           ON CONFLICT DO UPDATE SET taken = max(taken, excluded.taken);
         DROP TABLE ${FORMER}`,
      );
      noteTables(this.#db);
    });
  }
}

function ofRecord({ name, text, about }: TextRecord): Kept {
  return { id: name, name, about: written(about), text };
}

function ofText({ name, text, about }: ForeignPassage): Kept {
  const hash = textHash(text ?? `without text: ${name}`);
  return { id: FOREIGN_PREFIX + hash, hash, name, about: written(about), text: text ?? '' };
}

function keptOf(row: Row): Kept {
  return {
    id: text(row, 'id'),
    hash: text(row, 'hash'),
    name: text(row, 'name'),
    about: text(row, 'about'),
    text: text(row, 'text'),
  };
}

function isRecord(passage: ForeignPassage): passage is TextRecord {
  return passage.name !== '' && passage.text !== undefined;
}

/** As it stands in the table. */
const written = (about: AboutRecord | undefined): string =>
  about === undefined ? '{}' : JSON.stringify(about);

const aboutOf = (about: string): AboutRecord => aboutRecordSchema.parse(JSON.parse(about));

function passageOf({ id, hash, name, about, text }: Kept, slot: Slot): StoredPassage {
  const { title, source, page, fields } = aboutOf(about);
  return {
    slot,
    id,
    documentId: id,
    title: title ?? (source === undefined ? name : lastPart(source)),
    ...(page === undefined ? {} : { section: `p. ${page}` }),
    ...(source === undefined ? {} : { source }),
    ...(fields === undefined ? {} : { fields }),
    text,
    hash: hash ?? textHash(text),
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
