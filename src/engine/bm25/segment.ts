/** An immutable part of the inverted index in memory. */

/** A posting is one number: the passage in the upper bits, the term frequency in the lower. */
export const FREQUENCY_BITS = 8;
/** In the lower bits, this value means that the frequency is in {@link Segment.longFrequencies}. */
export const LONG_FREQUENCY = (1 << FREQUENCY_BITS) - 1;
export const MAX_PASSAGES = 1 << (32 - FREQUENCY_BITS);

/** Passages and terms are numbered from 0 within the segment. */
export interface Segment {
  /** `[passages]`: the slot of each passage, in the order of adding. */
  readonly slots: Uint32Array;
  /** `[passages]`: checksums of their texts, which identify the passages. */
  readonly texts: Uint32Array;
  /** `[passages]`: terms per passage, including repeats. */
  readonly lengths: Uint32Array;
  /** `[terms]`: the lexicon's id of each term. */
  readonly terms: Uint32Array;
  /** `[terms + 1]`: where the postings of each term begin. */
  readonly starts: Uint32Array;
  /** `[postings]`: by term, then by passage. */
  readonly postings: Uint32Array;
  /** Term frequencies from {@link LONG_FREQUENCY} up, by index into {@link postings}. */
  readonly longFrequencies: ReadonlyMap<number, number>;
}

export function segmentBytes(segment: Segment): number {
  const { slots, texts, lengths, terms, starts, postings } = segment;
  return [slots, texts, lengths, terms, starts, postings].reduce((sum, array) => sum + array.byteLength, 0);
}

export function frequencyAt(segment: Segment, index: number): number {
  const frequency = segment.postings[index]! & LONG_FREQUENCY;
  return frequency === LONG_FREQUENCY ? segment.longFrequencies.get(index)! : frequency;
}

/**
 * The index of the first posting in `from` to `to`, within one term's postings, whose passage is `passage` or
 * a later one.
 */
export function firstAtOrAfter(postings: Uint32Array, passage: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (postings[middle]! >>> FREQUENCY_BITS < passage) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Converts postings that arrive passage by passage into lists by term: a counting sort, for which the number of
 * postings of every term is known in advance.
 */
export class SegmentAssembler {
  readonly #slots: Uint32Array;
  readonly #texts: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #terms: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #postings: Uint32Array;
  readonly #longFrequencies = new Map<number, number>();
  /** Where the next posting of a lexicon id goes. */
  readonly #next: Uint32Array;

  /**
   * @param passages the slot, text checksum and length of each, as in the {@link Segment}
   * @param counts postings per lexicon id
   */
  constructor({ slots, texts, lengths }: Pick<Segment, 'slots' | 'texts' | 'lengths'>, counts: Uint32Array) {
    this.#slots = slots;
    this.#texts = texts;
    this.#lengths = lengths;
    const terms = distinctTerms(counts);
    this.#terms = new Uint32Array(terms);
    this.#starts = new Uint32Array(terms + 1);
    this.#next = new Uint32Array(counts.length);
    let term = 0;
    let start = 0;
    for (let id = 0; id < counts.length; id++) {
      const count = counts[id]!;
      if (count === 0) continue;
      this.#terms[term] = id;
      this.#next[id] = start;
      start += count;
      this.#starts[++term] = start;
    }
    this.#postings = new Uint32Array(start);
  }

  /** Passages must arrive in ascending order. */
  place(id: number, passage: number, frequency: number): void {
    const index = this.#next[id]!++;
    this.#postings[index] = packPosting(passage, frequency);
    if (frequency >= LONG_FREQUENCY) this.#longFrequencies.set(index, frequency);
  }

  finish(): Segment {
    return {
      slots: this.#slots,
      texts: this.#texts,
      lengths: this.#lengths,
      terms: this.#terms,
      starts: this.#starts,
      postings: this.#postings,
      longFrequencies: this.#longFrequencies,
    };
  }
}

/** Counts first, because a lexicon may have millions of terms, and a small segment few of them. */
function distinctTerms(counts: Uint32Array): number {
  let terms = 0;
  for (const count of counts) if (count > 0) terms++;
  return terms;
}

function packPosting(passage: number, frequency: number): number {
  return (passage << FREQUENCY_BITS) | (frequency < LONG_FREQUENCY ? frequency : LONG_FREQUENCY);
}
