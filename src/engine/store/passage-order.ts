/** The order of passages by document and position, which does not depend on when they were stored. */
import type { Slot } from '../types.ts';
import { number, text, type Database, type Statement } from './database.ts';

interface Place {
  readonly path: string;
  /** Documents of a file are numbered in its order. */
  readonly document: number;
  readonly start: number;
  readonly end: number;
}

/** Places of passages that were compared. In a corpus of copies, all scores are ties. */
const MAX_KEPT = 1_000_000;

export class PassageOrder {
  readonly #placeOf: Statement;
  readonly #version: () => number;
  readonly #places = new Map<Slot, Place | undefined>();
  #placesVersion: number | undefined;

  /** @param version changes whenever places of passages change */
  constructor(db: Database, version: () => number) {
    this.#version = version;
    this.#placeOf = db.prepare(
      `SELECT f.path, d.id AS document, p.start, p.end FROM passages p
       JOIN documents d ON d.id = p.document JOIN files f ON f.id = d.file WHERE p.slot = ?`,
    );
  }

  /** Negative if the first comes first. */
  compare(a: Slot, b: Slot): number {
    const [first, second] = [this.#place(a), this.#place(b)];
    if (!first || !second) return a - b;
    if (first.path !== second.path) return first.path < second.path ? -1 : 1;
    return first.document - second.document || first.start - second.start || first.end - second.end || a - b;
  }

  #place(slot: Slot): Place | undefined {
    const version = this.#version();
    if (version !== this.#placesVersion || this.#places.size > MAX_KEPT) this.#places.clear();
    this.#placesVersion = version;
    if (!this.#places.has(slot)) this.#places.set(slot, this.#read(slot));
    return this.#places.get(slot);
  }

  #read(slot: Slot): Place | undefined {
    const row = this.#placeOf.get(slot);
    return (
      row && {
        path: text(row, 'path'),
        document: number(row, 'document'),
        start: number(row, 'start'),
        end: number(row, 'end'),
      }
    );
  }
}
