/**
 * Search term at a time, in blocks of passages, so that the scores stay in the processor's cache. Terms that together
 * cannot lift a passage among the best hits so far are looked up only for passages that the other terms have brought
 * close (MaxScore: Turtle and Flood 1995, Information Processing & Management 31(6)).
 *
 * Scores are accumulated in 64 bits and in the order of the query's terms, so they do not depend on how passages are
 * distributed over segments and blocks, nor on what was skipped.
 */
import type { LiveSegment } from './live-segment.ts';
import { lengthNorm, type Bm25Params, type CollectionStatistics } from './scoring.ts';
import { firstAtOrAfter, FREQUENCY_BITS, frequencyAt, LONG_FREQUENCY, type Segment } from './segment.ts';
import type { TopHits } from './top-hits.ts';

export interface WeightedTerm {
  /** In the lexicon. */
  readonly id: number;
  /** Factor of the saturated term frequency. */
  readonly weight: number;
}

/**
 * The score of a passage without any term. Adding anything to it, even 0, gives another value, so a passage whose
 * contributions cancel out differs from one that does not match.
 */
const UNTOUCHED = -0;

/** Passages whose scores (8 bytes) and length norms (8 bytes) fit the second-level cache, with room to spare. */
const BLOCK = 1 << 14;

/** The most that rounding may lift a score, as a share of the sum of its terms' weights. */
const ROUNDING = 1e-9;

/** The cost of finding candidates, per posting of the terms that find them, relative to adding a posting. */
const CANDIDATE_COST = 4;

/** The cost of looking a passage up among a term's postings, relative to adding a posting. */
const LOOK_UP_COST = 8;

/** The postings of one term in one segment. */
interface Cursor {
  /** An upper bound of what the term adds to a passage. If it is negative, the bound is 0. */
  readonly weight: number;
  readonly end: number;
  /** The postings in the present block: `from` to `to`. */
  from: number;
  to: number;
}

export class TermAtATime {
  /** Scores of the passages of a block. All {@link UNTOUCHED} between two blocks. */
  readonly #scores = new Float64Array(BLOCK).fill(UNTOUCHED);
  /** The passages of a block that can be among the best. */
  readonly #candidates = new Uint32Array(BLOCK);
  readonly #norms = new WeakMap<LiveSegment, LengthNorms>();

  /** Offers the live passages of a segment with any of the terms, except those that `best` would refuse. */
  search(
    segment: LiveSegment,
    terms: readonly WeightedTerm[],
    params: Bm25Params,
    statistics: CollectionStatistics,
    best: TopHits,
  ): void {
    const cursors = terms.flatMap((term) => cursorFor(segment, term));
    if (cursors.length === 0) return;
    const byWeight = cursors.toSorted((a, b) => a.weight - b.weight);
    const norms = this.#lengthNorms(segment, params, statistics);
    for (let first = 0; first < segment.alive.length; first += BLOCK) {
      for (const cursor of cursors) enterBlock(segment.segment, cursor, first);
      const candidates = this.#findCandidates(segment, byWeight, norms, best.threshold);
      if (candidates) {
        for (const cursor of cursors) accumulateAt(segment.segment, cursor, candidates, norms, this.#scores);
        collectAt(segment, candidates, this.#scores, best);
      } else {
        for (const cursor of cursors) accumulate(segment.segment, cursor, norms, this.#scores);
        collect(segment, first, this.#scores, best);
      }
    }
  }

  /**
   * The passages of the present block whose score may reach the threshold.
   *
   * @returns ascending, a view; undefined if scoring all passages is faster than finding and scoring these
   */
  #findCandidates(
    { segment }: LiveSegment,
    byWeight: readonly Cursor[],
    norms: Float64Array,
    threshold: number,
  ): Uint32Array | undefined {
    const slack = ROUNDING * byWeight.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
    const weak = byWeight.slice(0, countWeak(byWeight, threshold - slack));
    const strong = byWeight.slice(weak.length);
    const postings = postingsOf(byWeight);
    if (postingsOf(strong) * CANDIDATE_COST > postings) return undefined;
    for (const cursor of strong) accumulate(segment, cursor, norms, this.#scores);
    const least = threshold - slack - mostOf(weak);
    let count = 0;
    for (const { from, to } of strong)
      for (let index = from; index < to; index++) {
        const passage = segment.postings[index]! >>> FREQUENCY_BITS;
        // Resets the score below `least`, which is above 0, for the case that the passage occurs again under
        // another term.
        if (this.#scores[passage % BLOCK]! >= least) this.#candidates[count++] = passage;
        this.#scores[passage % BLOCK] = UNTOUCHED;
      }
    if (count * byWeight.length * LOOK_UP_COST > postings) return undefined;
    return this.#candidates.subarray(0, count).sort();
  }

  #lengthNorms(
    segment: LiveSegment,
    params: Bm25Params,
    { averageLength }: CollectionStatistics,
  ): Float64Array {
    const { k1, b } = params;
    const entry = this.#norms.get(segment);
    if (entry && entry.k1 === k1 && entry.b === b && entry.averageLength === averageLength)
      return entry.norms;
    const { lengths } = segment.segment;
    const norms = new Float64Array(lengths.length);
    for (let passage = 0; passage < lengths.length; passage++)
      norms[passage] = lengthNorm(params, lengths[passage]!, averageLength);
    this.#norms.set(segment, { k1, b, averageLength, norms });
    return norms;
  }
}

/** `[passages]`, with the values that they were computed from. */
interface LengthNorms {
  readonly k1: number;
  readonly b: number;
  readonly averageLength: number;
  readonly norms: Float64Array;
}

function cursorFor(segment: LiveSegment, { id, weight }: WeightedTerm): Cursor[] {
  const term = segment.term(id);
  const { starts } = segment.segment;
  return term < 0 ? [] : [{ weight, end: starts[term + 1]!, from: starts[term]!, to: starts[term]! }];
}

/** The blocks must be entered in order. */
function enterBlock({ postings }: Segment, cursor: Cursor, first: number): void {
  cursor.from = cursor.to;
  cursor.to = firstAtOrAfter(postings, first + BLOCK, cursor.from, cursor.end);
}

/** How many of the terms with the smallest weights cannot bring a passage to the threshold, all of them together. */
function countWeak(byWeight: readonly Cursor[], threshold: number): number {
  let most = 0;
  const place = byWeight.findIndex(({ weight }) => {
    most += Math.max(weight, 0);
    return most >= threshold;
  });
  return place < 0 ? byWeight.length : place;
}

/** Upper bound of what all terms together can add to a score. */
function mostOf(cursors: readonly Cursor[]): number {
  return cursors.reduce((sum, { weight }) => sum + Math.max(weight, 0), 0);
}

/** In the present block. */
function postingsOf(cursors: readonly Cursor[]): number {
  return cursors.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Adds a term's contribution to the passages of the present block. */
function accumulate(
  { postings, longFrequencies }: Segment,
  { from, to, weight }: Cursor,
  norms: Float64Array,
  scores: Float64Array,
): void {
  for (let index = from; index < to; index++) {
    const posting = postings[index]!;
    const passage = posting >>> FREQUENCY_BITS;
    let frequency = posting & LONG_FREQUENCY;
    if (frequency === LONG_FREQUENCY) frequency = longFrequencies.get(index)!;
    scores[passage % BLOCK]! += (weight * frequency) / (frequency + norms[passage]!);
  }
}

/** The same for some passages of the block only, which must be ascending. */
function accumulateAt(
  segment: Segment,
  { from, to, weight }: Cursor,
  passages: Uint32Array,
  norms: Float64Array,
  scores: Float64Array,
): void {
  const { postings } = segment;
  let index = from;
  for (const passage of passages) {
    index = firstAtOrAfter(postings, passage, index, to);
    if (index === to) return;
    if (postings[index]! >>> FREQUENCY_BITS !== passage) continue;
    const frequency = frequencyAt(segment, index);
    scores[passage % BLOCK]! += (weight * frequency) / (frequency + norms[passage]!);
  }
}

/** Offers the live ones among some passages of a block, and makes their scores {@link UNTOUCHED} again. */
function collectAt(
  { alive, segment }: LiveSegment,
  passages: Uint32Array,
  scores: Float64Array,
  best: TopHits,
): void {
  for (const passage of passages) {
    if (alive[passage] === 1) best.offer(segment.slots[passage]!, scores[passage % BLOCK]!);
    scores[passage % BLOCK] = UNTOUCHED;
  }
}

/** Offers the live passages of a block that have a score, and makes the scores {@link UNTOUCHED} again. */
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
