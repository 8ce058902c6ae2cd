/**
 * Documents and passages of one corpus in SQLite. Every other index is derived from it and can be rebuilt.
 *
 * A file that is being read is stored under an incomplete row (see {@link FileRows}), which replaces the former
 * version of the file when its last document has arrived. What a crash leaves incomplete is removed before the next
 * scan, which reads the file again.
 *
 * Several processes may have the store open. One at a time updates it from the files (see `asOnlyWriter`); the others
 * see the changes after {@link Store.refresh}.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Pace } from '../concurrency/pace.ts';
import type { Slot } from '../types.ts';
import { sealed, unsealed } from './checksums.ts';
import {
  checkStructure,
  DamagedDatabase,
  number,
  openDatabase,
  text,
  type Database,
  type Statement,
} from './database.ts';
import { FileRows, NOT_WHOLE } from './file-rows.ts';
import { LiveSlotSet } from './live-slots.ts';
import { PassageOrder } from './passage-order.ts';
import { PassageRows } from './passage-rows.ts';
import { ensureSchema } from './schema.ts';
import { checkTables } from './tables.ts';
import { TextSums } from '../text-sums.ts';
import type { SkippedFile } from '../../shared/requests/corpora.ts';

export class Store {
  readonly live: LiveSlotSet;
  readonly files: FileRows;
  readonly passages: PassageRows;
  readonly #db: Database;
  readonly #path: string;
  readonly #idBySlot: Statement;
  readonly #meta: Statement;
  readonly #dataVersionNow: Statement;
  readonly #pathOfDocument: Statement;
  #version = 0;
  /** Changes with every transaction of another process. */
  #dataVersion = -1;
  readonly #openedEpoch: string;

  private constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
    const order = new PassageOrder(db, () => this.#version);
    this.live = new LiveSlotSet((a, b) => order.compare(a, b));
    this.files = new FileRows(db, this.live, () => void this.#version++);
    this.passages = new PassageRows(db, path, (slot) => this.live.has(slot));
    this.#idBySlot = db.prepare('SELECT id FROM passages WHERE slot = ?');
    this.#meta = db.prepare('SELECT value FROM meta WHERE key = ?');
    this.#dataVersionNow = db.prepare('PRAGMA data_version');
    this.#pathOfDocument = db.prepare(
      'SELECT f.path FROM documents d JOIN files f ON f.id = d.file AND f.complete = 1 WHERE d.name = ?',
    );
    this.#openedEpoch = this.epoch;
    this.refresh();
  }

  /**
   * Opens the store, or creates a new one if it was made by another version or with another splitting.
   *
   * @param path a file, or `:memory:`
   * @param splitKey identifies how documents are split and which fields are read; a change empties the store
   * @returns the store, and whether it is empty because of such a change
   * @throws ParallaxError `store-unusable`; DamagedDatabase if its contents are inconsistent
   */
  static open(path: string, splitKey: string): { store: Store; reset: boolean } {
    const db = openDatabase(path);
    try {
      checkTables(db, path);
      const reset = ensureSchema(db, splitKey);
      return { store: new Store(db, path), reset };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /**
   * Checks everything: tables, indexes, and the checksum of each passage. Yields to other work.
   *
   * @throws DamagedDatabase, ParallaxError `cancelled`
   */
  async check(pace: Pace): Promise<void> {
    checkStructure(this.#db, this.#path);
    this.skipped();
    for (const slot of this.live) {
      this.passages.bySlot(slot);
      if (pace.due) await pace.rest();
    }
  }

  /**
   * Loads what other processes have stored since.
   *
   * @throws ParallaxError `store-unusable` if one of them has rebuilt the store; see {@link isSuperseded}
   */
  refresh(): void {
    const dataVersion = Number(this.#dataVersionNow.get()?.['data_version']);
    if (dataVersion === this.#dataVersion) return;
    if (this.isSuperseded)
      throw new ParallaxError(
        'store-unusable',
        l10n.t('Another window has rebuilt this index. Try again to use the new one.'),
      );
    this.live.replace(this.#completeSlots());
    this.#dataVersion = dataVersion;
    this.#version++;
  }

  /** Whether another process has rebuilt the store, so that slots of this one are no longer valid. */
  get isSuperseded(): boolean {
    return this.epoch !== this.#openedEpoch;
  }

  /** The highest slot ever assigned. */
  get lastSlot(): Slot {
    return Number(
      this.#db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'passages'").get()?.['seq'] ?? 0,
    );
  }

  /** Checksums by which derived files check whether they still match the store. */
  textSums(): TextSums {
    const { lastSlot } = this;
    // Read as texts, because a million rows would each become an object.
    const listed = this.#db
      .prepare(
        'SELECT json_group_array(slot) AS slots, json_group_array(text_checksum) AS sums FROM passages WHERE slot > 0',
      )
      .get()!;
    const slots = JSON.parse(text(listed, 'slots')) as Slot[];
    return new TextSums(slots, JSON.parse(text(listed, 'sums')) as number[], Math.max(lastSlot, 0));
  }

  /** Frees the pages cached for writing. Reading needs few of them. */
  releaseMemory(): void {
    this.#db.exec('PRAGMA shrink_memory');
  }

  /** Slots of all complete files. Checks that there are as many as these files state. */
  #completeSlots(): Slot[] {
    // Read as one text, because a million rows would each become an object, and in one statement with the files'
    // counts, so that both are of one state: between two statements, another window may end an update.
    const listed = this.#db
      .prepare(
        `SELECT
           (SELECT json_group_array(p.slot)
            FROM passages p JOIN documents d ON d.id = p.document JOIN files f ON f.id = d.file
            WHERE f.complete = 1) AS listed,
           coalesce(sum(passages), 0) AS passages, coalesce(sum(slots), 0) AS slots,
           (SELECT count(*) FROM files WHERE complete <> (passages > ${NOT_WHOLE})) AS unclear
         FROM files WHERE complete = 1`,
      )
      .get()!;
    const slots = JSON.parse(text(listed, 'listed')) as Slot[];
    const sum = slots.reduce((total, slot) => total + slot, 0);
    if (
      number(listed, 'passages') !== slots.length ||
      number(listed, 'slots') !== sum ||
      listed['unclear'] !== 0
    )
      throw new DamagedDatabase(this.#path, 'passages are missing');
    return slots;
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Identifies this generation of slots. Emptying the store restarts their numbers, and indexes of an earlier
   * generation must not be used with the new ones.
   */
  get epoch(): string {
    return this.get('epoch') ?? '';
  }

  /** Changes whenever the set of live passages does. */
  get version(): number {
    return this.#version;
  }

  get(key: string): string | undefined {
    const value = this.#meta.get(key)?.['value'];
    return typeof value === 'string' ? value : undefined;
  }

  set(key: string, value: string): void {
    this.#db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
  }

  /** Replaces the report on files that could not be read. */
  setSkipped(files: readonly SkippedFile[]): void {
    this.#db.transaction(() => {
      this.#db.exec('DELETE FROM skipped');
      const insert = this.#db.prepare('INSERT INTO skipped (path, report) VALUES (?, ?)');
      for (const file of files) insert.run(file.path, sealed(JSON.stringify(file)));
    });
  }

  skipped(): SkippedFile[] {
    return this.#db
      .prepare('SELECT report FROM skipped ORDER BY path')
      .all()
      .map((row) => {
        const report = unsealed(text(row, 'report'));
        if (report === undefined)
          throw new DamagedDatabase(this.#path, 'a report does not match its checksum');
        return JSON.parse(report) as SkippedFile;
      });
  }

  counts(): { documents: number; passages: number; skipped: number } {
    const count = (sql: string): number => Number(this.#db.prepare(sql).get()?.['n'] ?? 0);
    return {
      // Without a join over all files, since incomplete ones are few.
      documents: count(
        `SELECT (SELECT count(*) FROM documents) - (SELECT count(*) FROM documents
           WHERE file IN (SELECT id FROM files WHERE complete = 0)) AS n`,
      ),
      passages: this.live.count,
      skipped: count('SELECT count(*) AS n FROM skipped'),
    };
  }

  /** The id of the live passage in a slot. Much cheaper than {@link PassageRows.bySlot}. */
  idOf(slot: Slot): string | undefined {
    const row = this.live.has(slot) ? this.#idBySlot.get(slot) : undefined;
    return row && text(row, 'id');
  }

  /** The path of the file that a document with this id comes from. */
  pathOf(documentId: string): string | undefined {
    const row = this.#pathOfDocument.get(documentId);
    return row && text(row, 'path');
  }
}
