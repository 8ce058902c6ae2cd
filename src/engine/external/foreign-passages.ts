/**
 * Passages that a retriever returned and that the index of the corpus does not contain: another splitting, another
 * collection, or a corpus that lives in a store. They are stored with their text, so that they can be judged, shown
 * and ranked like all others. Their ids are in memory, where rows also wait to be written together.
 */
import type { DocumentFields } from '../../core/text/fields.ts';
import type { Database } from '../store/database.ts';
import type { Slot, StoredPassage } from '../types.ts';
import { ForeignTable } from './foreign-table.ts';
import {
  aboutOf,
  keptRecord,
  keptText,
  passageOf,
  written,
  type ForeignPassage,
  type KeptPassage,
} from './kept-passage.ts';
import { RecentMap } from './recent-map.ts';

/** The numbers of an id in the table of foreign passages: one for each text that it has had. */
export class ForeignNumbers {
  /** By id, the newest number; some hundred bytes each. Rows may have been deleted since. */
  readonly #last = new Map<string, number>();
  /** The other numbers of ids that have had several texts. */
  readonly #others = new Map<string, readonly number[]>();

  has(id: string): boolean {
    return this.#last.has(id);
  }

  /** The newest first. */
  of(id: string): readonly number[] {
    const last = this.#last.get(id);
    return last === undefined ? [] : [last, ...(this.#others.get(id) ?? [])];
  }

  /** Makes a number the newest of an id. */
  note(id: string, number: number): void {
    const otherNumbers = this.of(id).filter((candidate) => candidate !== number);
    this.#last.set(id, number);
    if (otherNumbers.length > 0) this.#others.set(id, otherNumbers);
  }

  /** Adds a number behind those that an id has already, so that numbers returned here stay valid. */
  noteBehind(id: string, number: number): void {
    const known = this.of(id);
    if (known.length === 0) this.#last.set(id, number);
    else if (!known.includes(number)) this.#others.set(id, [...known.slice(1), number]);
  }
}

/** The most recent records that are known without asking the database. The same ones come back for many questions. */
const REMEMBERED = 40_000;

/** The most rows that wait to be written. */
const MAX_WAITING = 1_000;
/** Rows written at once, which takes a few milliseconds. */
const PORTION = 500;
/** Lets the next answer of a store come first. */
const WRITE_AFTER_MS = 20;

/** Slots of foreign passages are negative, so that no index of the corpus takes them for its own. */
export const isForeign = (slot: Slot): boolean => slot < 0;

/** A stored record. */
interface Remembered {
  readonly text: string;
  /** In the form of the database. */
  readonly about: string;
  readonly slot: Slot;
}

export class ForeignPassages {
  readonly #table: ForeignTable;
  /** By their ids. */
  readonly #remembered = new RecentMap<string, Remembered>(REMEMBERED);
  readonly #idBySlot = new RecentMap<Slot, string>(REMEMBERED);
  readonly #numbers = new ForeignNumbers();
  /**
   * The version of the table at which the remembered records were valid. Another window may have deleted rows since.
   */
  #rememberedVersion: unknown;
  /** The version of the table that {@link #numbers} were read from. */
  #numbersVersion: unknown;
  /** By number. They cost nothing: rows that are lost with the process are fetched again. */
  readonly #waiting = new Map<number, KeptPassage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database) {
    this.#table = new ForeignTable(db);
    this.#rememberedVersion = this.#table.version;
    this.#table.forgetOldest(this.#readNumbers());
  }

  /** Adds everything that `work` adds, or nothing if it throws. */
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
   * Adds a passage under its text: the same text is the same passage, whatever its name. A passage without text is
   * added under its name, with an empty text, and cannot be judged.
   */
  add(passage: ForeignPassage): Slot {
    const slot = this.#put(keptText(passage));
    this.#settle();
    return slot;
  }

  /**
   * Adds records of the store in which the corpus lives. The name of a record is its id, and its newest text counts.
   * A record without a name or text is added as by {@link add}.
   */
  addRecords(records: readonly ForeignPassage[]): Slot[] {
    const slots = records.map((record) => {
      const { name, text, about } = record;
      return (
        this.#rememberedAs(name, text, written(about)) ?? this.#put(keptRecord(record) ?? keptText(record))
      );
    });
    this.#settle();
    return slots;
  }

  passage(slot: Slot): StoredPassage | undefined {
    const record = this.#kept(-slot);
    return record && passageOf(record, slot);
  }

  /** `undefined` if it is gone. */
  idOf(slot: Slot): string | undefined {
    return this.#idBySlot.get(slot) ?? this.#waiting.get(-slot)?.id ?? this.#table.idOf(-slot);
  }

  /** @param id of a record, or of a text as by {@link keptText} */
  passageById(id: string): StoredPassage | undefined {
    // Another window may have added it since.
    if (!this.#numbers.has(id) && this.#table.version !== this.#numbersVersion) this.#readNumbers();
    for (const number of this.#numbers.of(id)) {
      const passage = this.passage(-number);
      if (passage) return passage;
    }
    return undefined;
  }

  /** Like `hashes` of the passages of the index, in the order of adding. @param from a number */
  hashes(from: number, limit: number): { hashes: { slot: Slot; hash: string }[]; next: number | undefined } {
    this.#write();
    const rows = this.#table.hashes(from, limit);
    const last = rows.at(-1);
    return {
      hashes: rows.map(({ number, hash }) => ({ slot: -number, hash })),
      next: last && rows.length === limit ? last.number + 1 : undefined,
    };
  }

  /** The fields of at most `most` newest records. `undefined` for one without fields. */
  someFields(most: number): (DocumentFields | undefined)[] {
    this.#write();
    return this.#table.latestAbout(most).map((about) => aboutOf(about).fields);
  }

  close(): void {
    clearTimeout(this.#timer);
    try {
      this.#write();
    } finally {
      this.#table.close();
    }
  }

  /** `undefined` if it is not remembered exactly like this. */
  #rememberedAs(id: string, text: string | undefined, about: string): Slot | undefined {
    const known = this.#remembered.get(id);
    return known?.text === text && known?.about === about ? known?.slot : undefined;
  }

  #put(passage: KeptPassage): Slot {
    const { id, about, text } = passage;
    const slot = -this.#keptAs(passage);
    this.#remembered.set(id, { text, about, slot });
    this.#idBySlot.set(slot, id);
    return slot;
  }

  /** @returns the number of the passage, which is stored from now on */
  #keptAs(passage: KeptPassage): number {
    const { id, about, text } = passage;
    for (const number of this.#numbers.of(id)) {
      const record = this.#kept(number);
      if (record?.text !== text) continue;
      if (record.about !== about) this.#waiting.set(number, passage);
      this.#numbers.note(id, number);
      return number;
    }
    const number = this.#table.newNumber();
    this.#waiting.set(number, passage);
    this.#numbers.note(id, number);
    return number;
  }

  #kept(number: number): KeptPassage | undefined {
    return this.#waiting.get(number) ?? this.#table.passage(number);
  }

  /** @returns all rows of the table, the newest first */
  #readNumbers(): [id: string, number: number][] {
    this.#numbersVersion = this.#table.version;
    const ids = this.#table.ids();
    for (const [id, number] of ids) this.#numbers.noteBehind(id, number);
    return ids;
  }

  #forget(): void {
    this.#remembered.clear();
    this.#idBySlot.clear();
  }

  #forgetWhatOthersChanged(): void {
    const version = this.#table.version;
    if (version !== this.#rememberedVersion) this.#forget();
    this.#rememberedVersion = version;
  }

  #settle(): void {
    if (this.#waiting.size >= MAX_WAITING) this.#write();
    else if (this.#waiting.size > 0) this.#writeSoon();
  }

  /** Rows that could not be written keep waiting. If there are too many, the next caller that adds gets the error. */
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

  /** @param most rows to write, those that have waited longest */
  #write(most = Infinity): void {
    if (this.#waiting.size === 0) return;
    const rows = [...this.#waiting].slice(0, most);
    this.#table.write(rows);
    for (const [number] of rows) this.#waiting.delete(number);
  }
}
