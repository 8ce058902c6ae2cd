/** The files of a store in its tables. A file is stored completely or not at all. */
import { textChecksum, textHash } from '../text-sums.ts';
import type { ExtractedDocument, NewPassage, Slot } from '../types.ts';
import { documentChecksum, passageChecksum } from './checksums.ts';
import { hex, number, text, type Database, type Row, type Statement } from './database.ts';
import type { LiveSlotSet } from './live-slots.ts';

export interface KnownFile {
  readonly size: number;
  readonly mtimeMs: number;
  /** When its content, name or rights last changed. Programs can set back `mtime`, but not this one. */
  readonly ctimeMs: number;
  readonly hash: string;
}

export interface DocumentWithPassages {
  readonly document: ExtractedDocument;
  readonly passages: readonly NewPassage[];
}

/** A file that is being stored. */
export interface PendingFile {
  readonly id: number;
  readonly path: string;
  readonly replaces: number | undefined;
  /** Slots of the replaced version, by text hash. Unchanged passages keep their slot. */
  readonly reusable: Map<string, Slot[]>;
  readonly added: Slot[];
  /** Slots that stay in use. Until the file is complete, they belong to its former version. */
  readonly keptSlots: KeptSlot[];
}

interface KeptSlot {
  readonly slot: Slot;
  readonly document: number;
  readonly passage: Omit<NewPassage, 'text'>;
  readonly checksum: number;
}

/** Marks a {@link PendingFile} that is not complete. No count of passages is below 0. */
export const NOT_WHOLE = -1;

export class FileRows {
  readonly #db: Database;
  readonly #live: LiveSlotSet;
  readonly #onChange: () => void;
  readonly #insertDocument: Statement;
  readonly #insertPassage: Statement;
  readonly #movePassage: Statement;

  /**
   * @param live kept up to date with the files
   * @param onChange called before `live` changes
   */
  constructor(db: Database, live: LiveSlotSet, onChange: () => void) {
    this.#db = db;
    this.#live = live;
    this.#onChange = onChange;
    this.#insertDocument = db.prepare(
      'INSERT INTO documents (file, name, title, verbatim, record_line, fields) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#insertPassage = db.prepare(
      `INSERT INTO passages (document, id, start, end, first_line, last_line, hash, text, text_checksum, checksum, section)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#movePassage = db.prepare(
      `UPDATE passages SET document = ?, id = ?, start = ?, end = ?, first_line = ?, last_line = ?, checksum = ?, section = ?
       WHERE slot = ?`,
    );
  }

  /** The complete files, by their paths. */
  known(): Map<string, KnownFile> {
    const files = new Map<string, KnownFile>();
    for (const row of this.#db
      .prepare('SELECT path, size, mtime, ctime, hash FROM files WHERE complete = 1')
      .iterate())
      files.set(text(row, 'path'), {
        size: number(row, 'size'),
        mtimeMs: number(row, 'mtime'),
        ctimeMs: number(row, 'ctime'),
        hash: text(row, 'hash'),
      });
    return files;
  }

  /** Starts to store a file. Until {@link end}, readers see the passages of its former version. */
  begin(path: string, file: KnownFile): PendingFile {
    return this.#db.transaction(() => {
      const former = this.#db.prepare('SELECT id FROM files WHERE path = ? AND complete = 1').get(path);
      const replaces = former && number(former, 'id');
      const reusable = new Map<string, Slot[]>();
      if (replaces !== undefined)
        for (const row of this.#passagesOfFile(replaces)) {
          const hash = hex(row['hash']);
          const slots = reusable.get(hash);
          if (slots) slots.push(number(row, 'slot'));
          else reusable.set(hash, [number(row, 'slot')]);
        }
      const { lastInsertRowid } = this.#db
        .prepare(
          `INSERT INTO files (path, size, mtime, ctime, hash, complete, passages, slots)
           VALUES (?, ?, ?, ?, ?, 0, ${NOT_WHOLE}, 0)`,
        )
        .run(path, file.size, file.mtimeMs, file.ctimeMs, file.hash);
      return { id: lastInsertRowid, path, replaces, reusable, added: [], keptSlots: [] };
    });
  }

  /** @returns the slots of new passages, ascending */
  addDocuments(file: PendingFile, documents: readonly DocumentWithPassages[]): readonly Slot[] {
    const before = file.added.length;
    this.#db.transaction(() => {
      for (const { document, passages } of documents) this.#addDocument(file, document, passages);
    });
    return file.added.slice(before);
  }

  #addDocument(file: PendingFile, document: ExtractedDocument, passages: readonly NewPassage[]): void {
    const fields = document.fields && JSON.stringify(document.fields);
    const { lastInsertRowid: row } = this.#insertDocument.run(
      file.id,
      document.id,
      document.title,
      document.verbatim ? 1 : 0,
      document.recordLine ?? null,
      fields ?? null,
    );
    const { title, verbatim, recordLine } = document;
    const facts = { path: file.path, name: document.id, title, verbatim, recordLine, fields };
    const seed = documentChecksum(facts);
    for (const passage of passages) {
      const { id, section, span, lines, text: passageText } = passage;
      const hash = textHash(passageText);
      const textSum = textChecksum(passageText);
      const checksum = passageChecksum(passage, hash, seed, textSum);
      const slot = file.reusable.get(hash)?.pop();
      if (slot !== undefined)
        file.keptSlots.push({ slot, document: row, passage: { id, section, span, lines }, checksum });
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
            textSum,
            checksum,
            section ?? null,
          ).lastInsertRowid,
        );
    }
  }

  /** Marks the file as complete, so that it replaces its former version. Returns the new slots. */
  end(file: PendingFile, final: KnownFile): readonly Slot[] {
    const slots = [...file.added, ...file.keptSlots.map(({ slot }) => slot)];
    this.#db.transaction(() => {
      for (const { slot, document, passage, checksum } of file.keptSlots) {
        const { id, section, span, lines } = passage;
        this.#movePassage.run(
          document,
          id,
          span.start,
          span.end,
          lines.startLine,
          lines.endLine,
          checksum,
          section ?? null,
          slot,
        );
      }
      if (file.replaces !== undefined) this.#db.prepare('DELETE FROM files WHERE id = ?').run(file.replaces);
      this.#db
        .prepare(
          'UPDATE files SET complete = 1, size = ?, mtime = ?, ctime = ?, hash = ?, passages = ?, slots = ? WHERE id = ?',
        )
        .run(
          final.size,
          final.mtimeMs,
          final.ctimeMs,
          final.hash,
          slots.length,
          slots.reduce((sum, slot) => sum + slot, 0),
          file.id,
        );
    });
    this.#onChange();
    for (const gone of file.reusable.values()) for (const slot of gone) this.#live.delete(slot);
    for (const slot of file.added) this.#live.add(slot);
    return file.added;
  }

  /** Drops a started file. Its former version stays. */
  abandon(file: PendingFile): void {
    this.#db.prepare('DELETE FROM files WHERE id = ?').run(file.id);
  }

  /** Stores a new time stamp for the same content. */
  touch(path: string, file: KnownFile): void {
    this.#db
      .prepare('UPDATE files SET size = ?, mtime = ?, ctime = ? WHERE path = ? AND complete = 1')
      .run(file.size, file.mtimeMs, file.ctimeMs, path);
  }

  delete(path: string): void {
    const slots: Slot[] = [];
    this.#db.transaction(() => {
      for (const row of this.#db.prepare('SELECT id FROM files WHERE path = ?').all(path)) {
        const id = number(row, 'id');
        for (const passage of this.#passagesOfFile(id)) slots.push(number(passage, 'slot'));
        this.#db.prepare('DELETE FROM files WHERE id = ?').run(id);
      }
    });
    if (slots.length > 0) this.#onChange();
    for (const slot of slots) this.#live.delete(slot);
  }

  /** Removes what an update began and did not finish. No other process may be updating the store. */
  removeIncomplete(): void {
    this.#db.exec('DELETE FROM files WHERE complete = 0');
  }

  #passagesOfFile(file: number): Row[] {
    return this.#db
      .prepare('SELECT p.slot, p.hash FROM passages p JOIN documents d ON d.id = p.document WHERE d.file = ?')
      .all(file);
  }
}
