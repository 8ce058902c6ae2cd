/**
 * Passages that the index of the corpus does not hold, and that a retriever returned: another splitting, another
 * collection, or a corpus that lives in a store as a whole. They are kept with their text, so that they can be judged,
 * shown and ranked like all others. Which ids there are is known in memory, and rows wait there to be written together.
 */
import type { DocumentFields } from '../../core/text/fields.ts';
import type { Database } from '../store/database.ts';
import type { Slot, StoredPassage } from '../types.ts';
import { ForeignNumbers } from './foreign-numbers.ts';
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

/** At most, records that came lately, known without asking the database: the same ones come back for many questions. */
const REMEMBERED = 40_000;

/** Rows that wait to be written. */
const MOST_WAITING = 1_000;
/** Rows written at one go, which takes a few milliseconds. */
const PORTION = 500;
/** The next answer of a store comes first. */
const WRITE_AFTER_MS = 20;

/** Slots of foreign passages are negative, so that no index of the corpus can mistake them for its own. */
export const isForeign = (slot: Slot): boolean => slot < 0;

/** A record as it was kept. */
interface Remembered {
  readonly text: string;
  /** As it is written in the database. */
  readonly about: string;
  readonly slot: Slot;
}

export class ForeignPassages {
  readonly #table: ForeignTable;
  /** By their ids. */
  readonly #remembered = new RecentMap<string, Remembered>(REMEMBERED);
  readonly #idBySlot = new RecentMap<Slot, string>(REMEMBERED);
  readonly #numbers = new ForeignNumbers();
  /** The version of the table at which what is remembered was right: another window may have taken rows away since. */
  #rememberedVersion: unknown;
  /** The version of the table that {@link #numbers} were read from. */
  #numbersVersion: unknown;
  /** By number. Nothing that was paid for: what is lost with the process is fetched again. */
  readonly #waiting = new Map<number, KeptPassage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database) {
    this.#table = new ForeignTable(db);
    this.#rememberedVersion = this.#table.version;
    this.#table.forgetOldest(this.#readNumbers());
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
    const slot = this.#put(keptText(passage));
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
        this.#rememberedAs(name, text, written(about)) ?? this.#put(keptRecord(record) ?? keptText(record))
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
    return this.#idBySlot.get(slot) ?? this.#waiting.get(-slot)?.id ?? this.#table.idOf(-slot);
  }

  /** @param id of a record, or as {@link keptText} makes it of a text */
  passageById(id: string): StoredPassage | undefined {
    // Another window may have kept it since.
    if (!this.#numbers.has(id) && this.#table.version !== this.#numbersVersion) this.#readNumbers();
    for (const number of this.#numbers.of(id)) {
      const passage = this.passage(-number);
      if (passage) return passage;
    }
    return undefined;
  }

  /** Like `hashes` of the passages of the index, here in the order in which they came. @param from a number */
  hashes(from: number, limit: number): { hashes: { slot: Slot; hash: string }[]; next: number | undefined } {
    this.#write();
    const rows = this.#table.hashes(from, limit);
    const last = rows.at(-1);
    return {
      hashes: rows.map(({ number, hash }) => ({ slot: -number, hash })),
      next: last && rows.length === limit ? last.number + 1 : undefined,
    };
  }

  /** The fields of records that came last, `most` at most; nothing for one that has none. */
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

  /** Undefined where it is not remembered just as it is. */
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

  /** @returns the number of a passage that is kept from now on, if it was not before */
  #keptAs(passage: KeptPassage): number {
    const { id, about, text } = passage;
    for (const number of this.#numbers.of(id)) {
      const kept = this.#kept(number);
      if (kept?.text !== text) continue;
      if (kept.about !== about) this.#waiting.set(number, passage);
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

  /** @returns all that is in the table, the last one first */
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
    this.#table.write(rows);
    for (const [number] of rows) this.#waiting.delete(number);
  }
}
