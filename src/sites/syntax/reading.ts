/**
 * Findings, and the parts of the text that each was read from. A finding is made again only where one of them has
 * changed since; where the same comes out again, all that was made of it stays as it is.
 */

/** Something that can be read, with the edit that last changed it; edits are counted from 1. */
export interface Readable {
  changedAt: number;
  /** The number of the finding that it was last written down for, so that it is written down once. */
  readFor?: number | undefined;
}

/** Everything read for the findings that are made at the moment: one is made within the other, the innermost stands last. */
const readings: Readable[] = [];
/** The number of the finding that is made at the moment; 0: none. */
let making = 0;
let made = 0;

/** Says that whatever is found out at the moment rests on this. */
export function read(source: Readable): void {
  if (making === 0 || source.readFor === making) return;
  source.readFor = making;
  readings.push(source);
}

/** The count of edits of one text. */
export class Edits {
  now = 0;
}

export class Finding<T> implements Readable {
  changedAt = -1;
  readFor: number | undefined;
  /** The edit after which it was last seen to hold; -1: never made. */
  checkedAt = -1;
  private sources: readonly Readable[] | undefined;
  private value: T | undefined;
  private isBeingMade = false;
  private readonly edits: Edits;
  private readonly make: () => T;

  constructor(edits: Edits, make: () => T) {
    this.edits = edits;
    this.make = make;
  }

  /** Made where it has to be. */
  get(): T {
    // A finding that rests on itself is made without a record, as far as whoever makes it goes into it.
    if (this.isBeingMade) return this.make();
    this.check();
    read(this);
    return this.value as T;
  }

  check(): void {
    const { now } = this.edits;
    if (this.checkedAt === now) return;
    if (this.checkedAt < 0 || this.restsOnWhatChanged()) this.renew();
    this.checkedAt = now;
  }

  /** Gone through with every keystroke: it leaves nothing behind for the collector. */
  private restsOnWhatChanged(): boolean {
    for (const source of this.sources ?? []) {
      if (source instanceof Finding) source.check();
      if (source.changedAt > this.checkedAt) return true;
    }
    return false;
  }

  private renew(): void {
    const outer = making;
    const from = readings.length;
    making = ++made;
    this.isBeingMade = true;
    try {
      const value = this.make();
      making = 0;
      this.sources = readings.slice(from);
      if (this.checkedAt < 0 || !isSame(this.value, value)) {
        this.value = value;
        this.changedAt = this.edits.now;
      }
    } finally {
      this.isBeingMade = false;
      readings.length = from;
      making = outer;
    }
  }
}

/** Plain values are compared so deep; what is not seen to be the same counts as changed. */
const MAX_DEPTH = 5;

/** Whether two plain values are the same, and of the same places. */
export function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > MAX_DEPTH)
    return false;
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((each: unknown, at) => isSame(each, b[at], depth + 1))
    );
  const prototype: unknown = Object.getPrototypeOf(a);
  if (prototype !== Object.prototype || Object.getPrototypeOf(b) !== prototype) return false;
  const [of, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  // Things made of another place of the text are others, and that place may be gone.
  if (of['node'] !== other['node']) return false;
  let [number, others] = [0, 0];
  for (const _ in of) number++;
  for (const _ in other) others++;
  if (number !== others) return false;
  for (const key in of)
    if (!Object.hasOwn(other, key) || !isSame(of[key], other[key], depth + 1)) return false;
  return true;
}
