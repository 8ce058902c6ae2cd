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

/** With more labels, the lists that were not asked about for longest are taken out of the table again when they are. */
const MOST_RECENT = 50_000;

/** The lists of a table that were asked about last, each with its labels. */
export class RecentLists {
  readonly #table: LabelTable;
  readonly #lists = new Map<string, ListedLabels>();
  #size = 0;

  constructor(table: LabelTable) {
    this.#table = table;
  }

  get(kind: keyof ListsOfLabel, list: number): ListedLabels {
    const key = `${kind} ${list}`;
    const labels = this.#lists.get(key) ?? this.#read(kind, list);
    // The last one asked about is the last to be left out.
    this.#lists.delete(key);
    this.#lists.set(key, labels);
    this.#shrink(labels);
    return labels;
  }

  /** Takes a label that was added to the table into the lists that are here. */
  add(row: number): void {
    for (const labels of this.#of(row)) {
      labels.add(entryOf(this.#table, row));
      this.#size++;
    }
  }

  /** Leaves out the lists of a label that was taken back. */
  forget(row: number): void {
    for (const key of keysOf(this.#table.lists(row))) this.#delete(key);
  }

  #of(row: number): ListedLabels[] {
    return keysOf(this.#table.lists(row)).flatMap((key) => this.#lists.get(key) ?? []);
  }

  #read(kind: keyof ListsOfLabel, list: number): ListedLabels {
    const labels = new ListedLabels();
    for (const row of this.#table.rows(kind, list)) labels.add(entryOf(this.#table, row));
    this.#size += labels.all.length;
    return labels;
  }

  #shrink(kept: ListedLabels): void {
    for (const [key, labels] of this.#lists) {
      if (this.#size <= MOST_RECENT) return;
      if (labels !== kept) this.#delete(key);
    }
  }

  #delete(key: string): void {
    this.#size -= this.#lists.get(key)?.all.length ?? 0;
    this.#lists.delete(key);
  }
}

function keysOf({ statement, ids }: ListsOfLabel): string[] {
  return [`statement ${statement}`, `ids ${ids}`];
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
