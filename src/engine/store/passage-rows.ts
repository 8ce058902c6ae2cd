/** The passages of a store in its tables. Each row is checked against its checksum when it is read. */
import { messageOf } from '../../core/errors.ts';
import type { NamedDocument } from '../../features/explain/core/explanation.ts';
import type { DocumentFields } from '../../core/text/fields.ts';
import { textChecksum } from '../text-sums.ts';
import type { Slot, StoredPassage } from '../types.ts';
import { documentChecksum, passageChecksum } from './checksums.ts';
import { DamagedDatabase, hex, number, text, type Database, type Row, type Statement } from './database.ts';

const SELECT_PASSAGE = `
  SELECT p.slot, p.id, p.start, p.end, p.first_line, p.last_line, p.hash, p.text, p.checksum, p.section,
         d.name, d.title, d.verbatim, d.record_line, d.fields, f.path
  FROM passages p JOIN documents d ON d.id = p.document JOIN files f ON f.id = d.file AND f.complete = 1`;

/** A limit, because a file of records has any number of documents. */
const MAX_NAMED = 10_000;

export class PassageRows {
  readonly #db: Database;
  readonly #path: string;
  readonly #isLive: (slot: Slot) => boolean;
  readonly #bySlot: Statement;
  readonly #byId: Statement;
  readonly #ofDocument: Statement;
  readonly #ofFile: Statement;
  readonly #titled: Statement;
  readonly #named: Statement;

  /** @param isLive whether the passage in a slot belongs to a complete file */
  constructor(db: Database, path: string, isLive: (slot: Slot) => boolean) {
    this.#db = db;
    this.#path = path;
    this.#isLive = isLive;
    this.#bySlot = db.prepare(`${SELECT_PASSAGE} WHERE p.slot = ?`);
    this.#byId = db.prepare(`${SELECT_PASSAGE} WHERE p.id = ? ORDER BY p.slot`);
    this.#ofDocument = db.prepare(`${SELECT_PASSAGE} WHERE d.name = ? ORDER BY p.start`);
    this.#ofFile = db.prepare(`${SELECT_PASSAGE} WHERE f.path = ? ORDER BY d.id, p.start LIMIT ${MAX_NAMED}`);
    this.#titled = db.prepare(
      `${SELECT_PASSAGE} WHERE d.title = ? COLLATE NOCASE ORDER BY d.id, p.start LIMIT ${MAX_NAMED}`,
    );
    this.#named = db.prepare(
      `SELECT DISTINCT d.name, d.title FROM documents d JOIN files f ON f.id = d.file AND f.complete = 1
       WHERE d.name LIKE ? ESCAPE '\\' OR d.title LIKE ? ESCAPE '\\' ORDER BY length(d.name), d.name LIMIT ?`,
    );
  }

  bySlot(slot: Slot): StoredPassage | undefined {
    const row = this.#bySlot.get(slot);
    return row && this.#passageOf(row);
  }

  /** The first live passage with this id. */
  byId(id: string): StoredPassage | undefined {
    const row = this.#byId.get(id);
    return row && this.#passageOf(row);
  }

  /** Live passages of a document in reading order. */
  ofDocument(documentId: string): StoredPassage[] {
    return this.#ofDocument.all(documentId).map((row) => this.#passageOf(row));
  }

  /** Live passages of the documents in a file, by its absolute path, at most {@link MAX_NAMED}. */
  ofFile(path: string): StoredPassage[] {
    return this.#ofFile.all(path).map((row) => this.#passageOf(row));
  }

  /** Live passages of the documents with this title, whatever its case, at most {@link MAX_NAMED}. */
  titled(title: string): StoredPassage[] {
    return this.#titled.all(title).map((row) => this.#passageOf(row));
  }

  /** Documents whose name or title contains a text, whatever its case, shortest names first. */
  documentsNamed(part: string, most: number): NamedDocument[] {
    const pattern = `%${part.replaceAll(/[\\%_]/gu, '\\$&')}%`;
    return this.#named
      .all(pattern, pattern, most)
      .map((row) => ({ id: text(row, 'name'), title: text(row, 'title') }));
  }

  /** The passages of its document directly before and after one. They may overlap with it. */
  beside({
    documentId,
    span,
  }: StoredPassage): readonly [StoredPassage | undefined, StoredPassage | undefined] {
    const ofDocument = `${SELECT_PASSAGE} WHERE d.name = ? AND`;
    const before = this.#db.prepare(`${ofDocument} p.start < ? ORDER BY p.start DESC LIMIT 1`);
    const after = this.#db.prepare(`${ofDocument} p.end > ? ORDER BY p.start LIMIT 1`);
    const rows = [before.get(documentId, span.start), after.get(documentId, span.end)] as const;
    return [rows[0] && this.#passageOf(rows[0]), rows[1] && this.#passageOf(rows[1])];
  }

  /** The fields of at most `most` documents from all over the corpus. `undefined` for one without fields. */
  someFields(most: number): (DocumentFields | undefined)[] {
    const [first, last] = ['min', 'max'].map((end) =>
      Number(this.#db.prepare(`SELECT ${end}(id) AS id FROM documents`).get()?.['id'] ?? 0),
    );
    const step = Math.max(1, Math.ceil((last! - first! + 1) / most));
    return this.#db
      .prepare(
        `SELECT d.fields FROM documents d JOIN files f ON f.id = d.file AND f.complete = 1
         WHERE d.id % ? = 0 ORDER BY d.id LIMIT ?`,
      )
      .all(step, most)
      .map((row) => this.#fieldsOf(row));
  }

  #passageOf(row: Row): StoredPassage {
    const passage = storedPassage(row);
    const { documentId: name, hash, slot, text: passageText } = passage;
    const fields = fieldsText(row);
    const sum = passageChecksum(
      passage,
      hash,
      documentChecksum({ ...passage, name, fields }),
      textChecksum(passageText),
    );
    if (sum !== row['checksum']) throw this.#damagedAt(slot);
    const documentFields = this.#fieldsOf(row);
    return documentFields ? { ...passage, fields: documentFields } : passage;
  }

  #fieldsOf(row: Row): DocumentFields | undefined {
    const json = fieldsText(row);
    try {
      return json === undefined ? undefined : (JSON.parse(json) as DocumentFields);
    } catch (error) {
      throw new DamagedDatabase(this.#path, `the fields of a document cannot be read (${messageOf(error)})`);
    }
  }

  #textOf(row: Row): string {
    const passageText = text(row, 'text');
    if (textChecksum(passageText) !== row['text_checksum']) throw this.#damagedAt(number(row, 'slot'));
    return passageText;
  }

  #damagedAt(slot: Slot): DamagedDatabase {
    return new DamagedDatabase(this.#path, `passage ${slot} does not match its checksum`);
  }

  /**
   * Slots and texts of the next live passages from a slot on, in slot order, to build derived indexes from. Empty at
   * the end.
   *
   * @param limit how many rows to read; fewer are returned if some are not live
   */
  texts(from: Slot, limit: number): { texts: { slot: Slot; text: string }[]; next: Slot | undefined } {
    const rows = this.#db
      .prepare('SELECT slot, text, text_checksum FROM passages WHERE slot >= ? ORDER BY slot LIMIT ?')
      .all(from, limit);
    const last = rows.at(-1);
    return {
      texts: rows
        .filter((row) => this.#isLive(number(row, 'slot')))
        .map((row) => ({ slot: number(row, 'slot'), text: this.#textOf(row) })),
      next: last && rows.length === limit ? number(last, 'slot') + 1 : undefined,
    };
  }

  /** Like {@link texts}, with the hash of each text instead. */
  hashes(from: Slot, limit: number): { hashes: { slot: Slot; hash: string }[]; next: Slot | undefined } {
    const rows = this.#db
      .prepare('SELECT slot, hash FROM passages WHERE slot >= ? ORDER BY slot LIMIT ?')
      .all(from, limit);
    const last = rows.at(-1);
    return {
      hashes: rows
        .map((row) => ({ slot: number(row, 'slot'), hash: hex(row['hash']) }))
        .filter(({ slot }) => this.#isLive(slot)),
      next: last && rows.length === limit ? number(last, 'slot') + 1 : undefined,
    };
  }

  /** Texts of the given live slots, in the given order. */
  textsOf(slots: Iterable<Slot>): string[] {
    const statement = this.#db.prepare('SELECT slot, text, text_checksum FROM passages WHERE slot = ?');
    return Array.from(slots, (slot) => {
      const row = statement.get(slot);
      return row ? this.#textOf(row) : '';
    });
  }
}

function storedPassage(row: Row): StoredPassage {
  const recordLine = row['record_line'];
  const section = row['section'];
  return {
    slot: number(row, 'slot'),
    id: text(row, 'id'),
    documentId: text(row, 'name'),
    title: text(row, 'title'),
    ...(typeof section === 'string' ? { section } : {}),
    text: text(row, 'text'),
    hash: hex(row['hash']),
    span: { start: number(row, 'start'), end: number(row, 'end') },
    lines: { startLine: number(row, 'first_line'), endLine: number(row, 'last_line') },
    path: text(row, 'path'),
    verbatim: number(row, 'verbatim') === 1,
    ...(typeof recordLine === 'number' ? { recordLine } : {}),
  };
}

const fieldsText = (row: Row): string | undefined =>
  typeof row['fields'] === 'string' ? row['fields'] : undefined;
