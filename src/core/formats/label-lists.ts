/** The labels of one perspective as objects, made of their rows when somebody asks about it. */
import type { Passage } from '../model.ts';
import type { LabelTable, ListsOfLabel } from './label-table.ts';
import type { Label } from './labels.ts';
import { squeeze, type Squeezed } from './quotes.ts';

/** A label as answers are looked up. */
export interface LabelEntry {
  readonly label: Label;
  readonly quote: Squeezed | undefined;
  /** Its place among the labels of the file. */
  readonly row: number;
  /** Milliseconds. */
  readonly time: number;
}

export interface LabelledPassage extends Pick<Passage, 'documentId' | 'text'> {
  readonly hash: string;
}

/** The labels of one list, findable by the passages they may speak of. */
export class ListedLabels {
  readonly all: LabelEntry[] = [];
  readonly #byHash = new Map<string, LabelEntry[]>();
  readonly #byDocument = new Map<string, LabelEntry[]>();

  add(entry: LabelEntry): void {
    const { hash, document } = entry.label;
    this.all.push(entry);
    append(this.#byDocument, document, entry);
    if (hash !== undefined) append(this.#byHash, hash, entry);
  }

  /** Labels that name the passage's hash or its document; an entry may come twice. */
  mentioning({ hash, documentId }: LabelledPassage): LabelEntry[] {
    return [...(this.#byHash.get(hash) ?? []), ...(this.#byDocument.get(documentId) ?? [])];
  }
}

/** The most labels that are kept in memory, beside those of one list. */
const MOST_HELD = 50_000;

/**
 * The lists of a table that were asked about last, each with its labels. Once half of what may be held came in, what was
 * not asked about since the last half came in is left out, and taken out of the table again when it is asked about.
 */
export class RecentLists {
  readonly #table: LabelTable;
  #lists = new Map<number, ListedLabels>();
  #former = new Map<number, ListedLabels>();
  /** Labels of {@link #lists}. */
  #size = 0;

  constructor(table: LabelTable) {
    this.#table = table;
  }

  get(kind: keyof ListsOfLabel, list: number): ListedLabels {
    const key = keyOf(kind, list);
    return this.#lists.get(key) ?? this.#hold(key, this.#former.get(key) ?? this.#read(kind, list));
  }

  /** Takes a label that was added to the table into the lists that are here. */
  add(row: number): void {
    for (const key of keysOf(this.#table.lists(row))) {
      const labels = this.#lists.get(key) ?? this.#former.get(key);
      labels?.add(entryOf(this.#table, row));
      if (this.#lists.has(key)) this.#size++;
    }
  }

  /** Leaves out the lists of a label that was taken back. */
  forget(row: number): void {
    for (const key of keysOf(this.#table.lists(row))) {
      this.#size -= this.#lists.get(key)?.all.length ?? 0;
      this.#lists.delete(key);
      this.#former.delete(key);
    }
  }

  #hold(key: number, labels: ListedLabels): ListedLabels {
    if (this.#size + labels.all.length > MOST_HELD / 2) {
      this.#former = this.#lists;
      this.#lists = new Map();
      this.#size = 0;
    }
    this.#lists.set(key, labels);
    this.#size += labels.all.length;
    return labels;
  }

  #read(kind: keyof ListsOfLabel, list: number): ListedLabels {
    const labels = new ListedLabels();
    for (const row of this.#table.rows(kind, list)) labels.add(entryOf(this.#table, row));
    return labels;
  }
}

function keyOf(kind: keyof ListsOfLabel, list: number): number {
  return 2 * list + (kind === 'ids' ? 1 : 0);
}

function keysOf({ statement, ids }: ListsOfLabel): number[] {
  return [keyOf('statement', statement), keyOf('ids', ids)];
}

function entryOf(table: LabelTable, row: number): LabelEntry {
  const label = table.label(row);
  return {
    label,
    quote: label.quote === undefined ? undefined : squeeze(label.quote),
    row,
    time: table.time(row),
  };
}

function append<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
