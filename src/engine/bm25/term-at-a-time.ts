/**
 * Exhaustive search, term at a time: every posting of every query term adds to its passage's score. Done
 * block by block of passages, so that the scores being added to stay in the processor's cache.
 *
 * Scores are accumulated in 64 bits and in the order of the query's terms, so they do not depend on how
 * passages are spread over segments and blocks.
 */
import type { LiveSegment } from './live-segment.ts';
import { lengthNorm, type Bm25Params, type CollectionStatistics } from './scoring.ts';
import { firstAtOrAfter, FREQUENCY_BITS, LONG_FREQUENCY, type Segment } from './segment.ts';
import type { TopHits } from './top-hits.ts';

export interface WeightedTerm {
  /** In the lexicon. */
  readonly id: number;
  /** What the saturated term frequency is multiplied with. */
  readonly weight: number;
}

/**
 * The score of a passage that no term has touched. Adding anything to it, 0 too, makes it another value,
 * so that a passage whose contributions cancel out is told from one that does not match.
 */
const UNTOUCHED = -0;

/** Passages whose scores (8 bytes) and length norms (8 bytes) fit the second-level cache, with room to spare. */
const BLOCK = 1 << 14;

/** The postings of one term in one segment that are still to come. */
interface Cursor {
  next: number;
  readonly end: number;
  readonly weight: number;
}

export class TermAtATime {
  /** Scores of the passages of a block; all {@link UNTOUCHED} in between. */
  readonly #scores = new Float64Array(BLOCK).fill(UNTOUCHED);
  readonly #norms = new WeakMap<LiveSegment, LengthNorms>();

  /** Offers the live passages of a segment in which any of the terms occurs. */
  search(
    segment: LiveSegment,
    terms: readonly WeightedTerm[],
    params: Bm25Params,
    statistics: CollectionStatistics,
    best: TopHits,
  ): void {
    const cursors = terms.flatMap((term) => cursorFor(segment, term));
    if (cursors.length === 0) return;
    const norms = this.#lengthNorms(segment, params, statistics);
    for (let first = 0; first < segment.alive.length; first += BLOCK) {
      for (const cursor of cursors) accumulate(segment.segment, cursor, first, norms, this.#scores);
      collect(segment, first, this.#scores, best);
    }
  }

  #lengthNorms(
    segment: LiveSegment,
    params: Bm25Params,
    { averageLength }: CollectionStatistics,
  ): Float64Array {
    const { k1, b } = params;
    const kept = this.#norms.get(segment);
    if (kept && kept.k1 === k1 && kept.b === b && kept.averageLength === averageLength) return kept.norms;
    const { lengths } = segment.segment;
    const norms = new Float64Array(lengths.length);
    for (let passage = 0; passage < lengths.length; passage++)
      norms[passage] = lengthNorm(params, lengths[passage]!, averageLength);
    this.#norms.set(segment, { k1, b, averageLength, norms });
    return norms;
  }
}

/** `[passages]`, with what they were computed from. */
interface LengthNorms {
  readonly k1: number;
  readonly b: number;
  readonly averageLength: number;
  readonly norms: Float64Array;
}

function cursorFor(segment: LiveSegment, { id, weight }: WeightedTerm): Cursor[] {
  const term = segment.term(id);
  const { starts } = segment.segment;
  return term < 0 ? [] : [{ next: starts[term]!, end: starts[term + 1]!, weight }];
}

/** Adds what a term contributes to the passages of the block that begins at `first`. */
function accumulate(
  { postings, longFrequencies }: Segment,
  cursor: Cursor,
  first: number,
  norms: Float64Array,
  scores: Float64Array,
): void {
  const { weight, next } = cursor;
  const end = firstAtOrAfter(postings, first + BLOCK, next, cursor.end);
  for (let index = next; index < end; index++) {
    const posting = postings[index]!;
    const passage = posting >>> FREQUENCY_BITS;
    let frequency = posting & LONG_FREQUENCY;
    if (frequency === LONG_FREQUENCY) frequency = longFrequencies.get(index)!;
    scores[passage % BLOCK]! += (weight * frequency) / (frequency + norms[passage]!);
  }
  cursor.next = end;
}

/** Offers what was touched in a block and is live, and makes the scores {@link UNTOUCHED} again. */
function collect({ alive, segment }: LiveSegment, first: number, scores: Float64Array, best: TopHits): void {
  const passages = Math.min(BLOCK, alive.length - first);
  let threshold = best.threshold;
  for (let i = 0; i < passages; i++) {
    const score = scores[i]!;
    if (score >= threshold && !Object.is(score, UNTOUCHED) && alive[first + i] === 1) {
      best.offer(segment.slots[first + i]!, score);
      threshold = best.threshold;
    }
  }
  scores.fill(UNTOUCHED, 0, passages);
}
