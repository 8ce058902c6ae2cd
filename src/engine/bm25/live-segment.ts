import type { LiveSlots } from '../types.ts';
import { FREQUENCY_BITS, type Segment } from './segment.ts';

const UNKNOWN = -1;

/**
 * A segment with its live passages and the statistics over them: scores must not depend on deleted passages that are
 * not merged away yet.
 */
export class LiveSegment {
  readonly segment: Segment;
  /** File name. `undefined` if the segment is not on disk. */
  readonly file: string | undefined;
  readonly diskBytes: number;
  /** `[passages]`: 1 for live. Valid after {@link refresh}. */
  readonly alive: Uint8Array;
  passages = 0;
  /** Sum of the lengths of the live passages. */
  totalLength = 0;
  /** Lexicon id → the segment's term. Ids added to the lexicon later are beyond the end. */
  readonly #termOfId: Int32Array;
  /** `[terms]`: passage frequency over live passages, counted at the first request. */
  readonly #frequencies: Int32Array;

  constructor(segment: Segment, lexiconSize: number, file?: string, diskBytes = 0) {
    this.segment = segment;
    this.file = file;
    this.diskBytes = diskBytes;
    this.alive = new Uint8Array(segment.slots.length);
    this.#termOfId = new Int32Array(lexiconSize).fill(UNKNOWN);
    for (let term = 0; term < segment.terms.length; term++) this.#termOfId[segment.terms[term]!] = term;
    this.#frequencies = new Int32Array(segment.terms.length).fill(UNKNOWN);
  }

  /**
   * Reads which passages are live. Changes are not announced, and checking takes a nanosecond per passage.
   *
   * @returns whether anything changed
   */
  refresh(live: LiveSlots): boolean {
    const { slots, lengths } = this.segment;
    const alive = this.alive;
    let passage = 0;
    while (passage < slots.length && live.has(slots[passage]!) === (alive[passage] === 1)) passage++;
    if (passage === slots.length) return false;
    this.passages = 0;
    this.totalLength = 0;
    for (passage = 0; passage < slots.length; passage++) {
      alive[passage] = live.has(slots[passage]!) ? 1 : 0;
      this.passages += alive[passage]!;
      this.totalLength += alive[passage]! * lengths[passage]!;
    }
    this.#frequencies.fill(UNKNOWN);
    return true;
  }

  /** The segment's number of a term, or -1. */
  term(id: number): number {
    return this.#termOfId[id] ?? UNKNOWN;
  }

  /** The number of live passages with a term of the segment. */
  passageFrequency(term: number): number {
    const { starts, slots } = this.segment;
    if (this.passages === slots.length) return starts[term + 1]! - starts[term]!;
    if (this.#frequencies[term] === UNKNOWN) this.#frequencies[term] = this.#countLive(term);
    return this.#frequencies[term]!;
  }

  #countLive(term: number): number {
    const { starts, postings } = this.segment;
    let count = 0;
    for (let i = starts[term]!; i < starts[term + 1]!; i++)
      count += this.alive[postings[i]! >>> FREQUENCY_BITS]!;
    return count;
  }
}
