/**
 * Labels in rows: a million of them in some 100 MB, where as many objects take 2 GB. What many share (people, questions,
 * perspectives, documents) is kept once, hashes as their bytes, and times as numbers.
 */
import type { Verdict } from '../model.ts';
import { labelTime, normalizePerspective, type Label } from './labels.ts';
import { usualTime } from './usual-time.ts';

/** Fields that the labels of one person on one perspective share. */
type Circumstances = Pick<
  Label,
  'query' | 'queryText' | 'perspective' | 'perspectiveText' | 'split' | 'by' | 'standard'
>;

/** Rare fields, and a time or a hash in an unusual form. */
type Rest = Partial<Pick<Label, 'quote' | 'note' | 'chance' | 'informed' | 'at' | 'hash'>>;

/** Numbers of the two lists that a label stands in. */
export interface ListsOfLabel {
  /** Labels of perspectives with the same statement. */
  readonly statement: number;
  /** Labels with the same ids of query and perspective. */
  readonly ids: number;
}

interface Shared extends ListsOfLabel {
  readonly circumstances: Circumstances;
}

/** Rows are added in pieces, so that no column is ever copied. */
const ROWS = 1024;
/** In the hash of a passage's text, which is written as 32 hexadecimal digits. */
const HASH_BYTES = 16;
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const VERDICTS = ['yes', 'no', 'unsure'] as const satisfies readonly Verdict[];
/** Beside the verdict in {@link Piece.said}. */
const HASHED = 4;
const WITHDRAWN = 8;
const NO_ROW = -1;
/** Rare fields. */
const FEW = ['quote', 'note', 'chance', 'informed'] as const satisfies readonly (keyof Rest)[];

class Piece {
  readonly shared = new Uint32Array(ROWS);
  readonly document = new Uint32Array(ROWS);
  /** Milliseconds. */
  readonly time = new Float64Array(ROWS);
  readonly said = new Uint8Array(ROWS);
  readonly hash = new Uint8Array(HASH_BYTES * ROWS);
  /** The label before it in the list of the same statement, and of the same ids. */
  readonly before = { statement: new Int32Array(ROWS), ids: new Int32Array(ROWS) };
}

/** Labels that share a statement or ids: the last of them, and the normalised statement where all have the same. */
interface List {
  last: number;
  statement: number | undefined;
}

export class LabelTable {
  readonly #pieces: Piece[] = [];
  readonly #shared: Shared[] = [];
  readonly #sharedByKey = new Map<string, number>();
  readonly #texts = new Names();
  readonly #documents = new Names();
  readonly #rest = new Map<number, Rest>();
  readonly #statements = new Names();
  /** By the number of the perspective's text: the same few are asked about many passages. */
  readonly #statementOfText: number[] = [];
  readonly #ids = new Names();
  /** Of the label that was added last: the next one often has the same. */
  #last = NO_ROW;
  readonly #lists: Readonly<Record<keyof ListsOfLabel, List[]>> = { statement: [], ids: [] };
  #length = 0;

  /** How many rows there are, also of labels that were taken back. */
  get length(): number {
    return this.#length;
  }

  /** @returns the row, which counts from 0 */
  add(label: Label): number {
    const row = this.#length++;
    const place = row % ROWS;
    if (place === 0) this.#pieces.push(new Piece());
    const piece = this.#pieces.at(-1)!;
    const shared = this.#share(label);
    const isHashed = label.hash !== undefined && writeHash(piece.hash, place, label.hash);
    piece.shared[place] = shared;
    piece.document[place] = this.#documents.numberOf(label.document);
    const time = usualTime(label.at);
    piece.time[place] = time ?? labelTime(label);
    piece.said[place] = VERDICTS.indexOf(label.verdict) + (isHashed ? HASHED : 0);
    const rest = restOf(label, isHashed, time !== undefined);
    if (rest) this.#rest.set(row, rest);
    this.#enlist(piece, place, row, this.#shared[shared]!);
    return row;
  }

  /** Takes a label back: it stays in its row, and in none of the lists. */
  withdraw(row: number): void {
    this.#pieceOf(row).said[row % ROWS]! |= WITHDRAWN;
  }

  isWithdrawn(row: number): boolean {
    return (this.#pieceOf(row).said[row % ROWS]! & WITHDRAWN) !== 0;
  }

  /** The label as it was read. */
  label(row: number): Label {
    const piece = this.#pieceOf(row);
    const place = row % ROWS;
    const { queryText, split, ...circumstances } = this.#shared[piece.shared[place]!]!.circumstances;
    const said = piece.said[place]!;
    return {
      v: 1,
      ...circumstances,
      ...(queryText === undefined ? {} : { queryText }),
      ...(split === undefined ? {} : { split }),
      document: this.#documents.name(piece.document[place]!),
      ...((said & HASHED) === 0 ? {} : { hash: readHash(piece.hash, place) }),
      at: this.#rest.get(row)?.at ?? new Date(piece.time[place]!).toISOString(),
      verdict: VERDICTS[said & 3]!,
      ...this.#rest.get(row),
    };
  }

  /** When the label was given, in milliseconds; that of an unreadable time is before all others. */
  time(row: number): number {
    return this.#pieceOf(row).time[row % ROWS]!;
  }

  /** The lists that a label stands in. */
  lists(row: number): ListsOfLabel {
    return this.#shared[this.#pieceOf(row).shared[row % ROWS]!]!;
  }

  /** The list of the labels with a statement. @returns undefined where there is none */
  statement(perspectiveText: string): number | undefined {
    const text = this.#texts.find(perspectiveText);
    const known = text === undefined ? undefined : this.#statementOfText[text];
    return known ?? this.#statements.find(normalizePerspective(perspectiveText));
  }

  /** The lists of all statements. */
  statements(): Iterable<number> {
    return this.#lists.statement.keys();
  }

  /**
   * The list of the labels with these ids, where some of them are of other statements.
   *
   * @param statement the list that needs no second look
   */
  idsBeyond(query: string, perspective: string, statement: number | undefined): number | undefined {
    const ids = this.#ids.find(idKey(query, perspective));
    if (ids === undefined) return undefined;
    const only = this.#lists.ids[ids]!.statement;
    return only !== undefined && only === statement ? undefined : ids;
  }

  /** The rows of a list that were not taken back, the last first. */
  *rows(kind: keyof ListsOfLabel, list: number): Generator<number> {
    for (let row = this.#lists[kind][list]!.last; row !== NO_ROW;) {
      if (!this.isWithdrawn(row)) yield row;
      row = this.#pieceOf(row).before[kind][row % ROWS]!;
    }
  }

  #pieceOf(row: number): Piece {
    return this.#pieces[Math.floor(row / ROWS)]!;
  }

  #enlist(piece: Piece, place: number, row: number, { statement, ids }: ListsOfLabel): void {
    for (const [kind, number] of [
      ['statement', statement],
      ['ids', ids],
    ] as const) {
      const list = (this.#lists[kind][number] ??= { last: NO_ROW, statement });
      piece.before[kind][place] = list.last;
      list.last = row;
      if (list.statement !== statement) list.statement = undefined;
    }
  }

  #share(label: Label): number {
    const last = this.#shared[this.#last];
    if (!last || !isIn(last.circumstances, label)) this.#last = this.#shareAnew(label);
    return this.#last;
  }

  #shareAnew(label: Label): number {
    const { query, queryText, perspective, perspectiveText, split, by, standard } = label;
    const texts = [query, queryText, perspective, perspectiveText, split, by.kind, by.name, standard];
    const numbers = texts.map((text) => (text === undefined ? -1 : this.#texts.numberOf(text)));
    const key = numbers.join(' ');
    const known = this.#sharedByKey.get(key);
    if (known !== undefined) return known;
    const own = (place: number): string => this.#texts.name(numbers[place]!);
    const circumstances: Circumstances = {
      query: own(0),
      ...(queryText === undefined ? {} : { queryText: own(1) }),
      perspective: own(2),
      perspectiveText: own(3),
      ...(split === undefined ? {} : { split: own(4) }),
      by: { kind: by.kind, name: own(6) },
      standard: own(7),
    };
    const statement = (this.#statementOfText[numbers[3]!] ??= this.#statements.numberOf(
      normalizePerspective(perspectiveText),
    ));
    const ids = this.#ids.numberOf(idKey(query, perspective));
    this.#sharedByKey.set(key, this.#shared.length);
    return this.#shared.push({ circumstances, statement, ids }) - 1;
  }
}

function isIn(circumstances: Circumstances, label: Label): boolean {
  return (
    circumstances.perspectiveText === label.perspectiveText &&
    circumstances.perspective === label.perspective &&
    circumstances.query === label.query &&
    circumstances.queryText === label.queryText &&
    circumstances.split === label.split &&
    circumstances.standard === label.standard &&
    circumstances.by.kind === label.by.kind &&
    circumstances.by.name === label.by.name
  );
}

/** Texts, each kept once under a number that counts from 0. */
class Names {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }

  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  name(number: number): string {
    return this.#names[number]!;
  }
}

function idKey(queryId: string, perspectiveId: string): string {
  return `${queryId}\n${perspectiveId}`;
}

function restOf(label: Label, isHashed: boolean, isUsualTime: boolean): Rest | undefined {
  const { quote, note, chance, informed, at, hash } = label;
  const keepsTime = isUsualTime || isOfMilliseconds(at);
  // Most have nothing of it, and an object each would cost more than all else here.
  if (keepsTime && (isHashed || hash === undefined) && !FEW.some((key) => label[key] !== undefined))
    return undefined;
  return {
    ...(quote === undefined ? {} : { quote }),
    ...(note === undefined ? {} : { note }),
    ...(chance === undefined ? {} : { chance }),
    ...(informed === undefined ? {} : { informed }),
    ...(keepsTime ? {} : { at }),
    ...(isHashed || hash === undefined ? {} : { hash }),
  };
}

/** Whether a time can be told from its milliseconds. */
function isOfMilliseconds(at: string): boolean {
  return new Date(Date.parse(at) || 0).toISOString() === at;
}

/** @returns false for one in an unusual form, of which anything may have been written */
function writeHash(bytes: Uint8Array, place: number, hash: string): boolean {
  if (hash.length !== 2 * HASH_BYTES) return false;
  for (let at = 0; at < HASH_BYTES; at++) {
    const byte = 16 * digitOf(hash, 2 * at) + digitOf(hash, 2 * at + 1);
    if (Number.isNaN(byte)) return false;
    bytes[HASH_BYTES * place + at] = byte;
  }
  return true;
}

/** @returns NaN where there is none that a hash is written with */
function digitOf(hash: string, at: number): number {
  const code = hash.charCodeAt(at);
  // "0" is 48, and "a" is 97.
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : NaN;
}

function readHash(bytes: Uint8Array, place: number): string {
  let hash = '';
  for (let at = HASH_BYTES * place; at < HASH_BYTES * (place + 1); at++) hash += BYTES[bytes[at]!];
  return hash;
}
