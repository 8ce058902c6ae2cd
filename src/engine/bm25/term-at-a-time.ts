/**
 * Exhaustive search, term at a time: every posting of every query term adds to its passage's score.
 *
 * Scores are accumulated in 64 bits and in the order of the query's terms, so they do not depend on how
 * passages are spread over segments.
 */
import type { LiveSegment } from './live-segment.ts';
import { lengthNorm, type Bm25Params, type CollectionStatistics } from './scoring.ts';
import { FREQUENCY_BITS, LONG_FREQUENCY } from './segment.ts';
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

export class TermAtATime {
  /** Scores by passage of one segment; all {@link UNTOUCHED} between searches. */
  #scores = new Float64Array(0);
  readonly #norms = new WeakMap<LiveSegment, LengthNorms>();

  /** Offers the live passages of a segment in which any of the terms occurs. */
  search(
    segment: LiveSegment,
    terms: readonly WeightedTerm[],
    params: Bm25Params,
    statistics: CollectionStatistics,
    best: TopHits,
  ): void {
    const found = terms.filter(({ id }) => segment.term(id) >= 0);
    if (found.length === 0) return;
    this.#reserve(segment.alive.length);
    const norms = this.#lengthNorms(segment, params, statistics);
    for (const { id, weight } of found) accumulate(segment, segment.term(id), weight, norms, this.#scores);
    collect(segment, this.#scores, best);
  }

  #reserve(passages: number): void {
    if (passages > this.#scores.length) this.#scores = new Float64Array(passages).fill(UNTOUCHED);
  }

  #lengthNorms(
    segment: LiveSegment,
    params: Bm25Params,
    { averageLength }: CollectionStatistics,
  ): Float64Array {
    const { k1, b } = params;
    const kept = this.#norms.get(segment);
    if (kept && kept.k1 === k1 && kept.b === b && kept.averageLength === averageLength) return kept.norms;
    const norms = Float64Array.from(segment.segment.lengths, (length) =>
      lengthNorm(params, length, averageLength),
    );
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

function accumulate(
  { segment }: LiveSegment,
  term: number,
  weight: number,
  norms: Float64Array,
  scores: Float64Array,
): void {
  const { postings, longFrequencies } = segment;
  const end = segment.starts[term + 1]!;
  for (let index = segment.starts[term]!; index < end; index++) {
    const posting = postings[index]!;
    const passage = posting >>> FREQUENCY_BITS;
    let frequency = posting & LONG_FREQUENCY;
    if (frequency === LONG_FREQUENCY) frequency = longFrequencies.get(index)!;
    scores[passage]! += (weight * frequency) / (frequency + norms[passage]!);
  }
}

/** Offers what was touched and is live, and makes the scores {@link UNTOUCHED} again. */
function collect({ alive, segment }: LiveSegment, scores: Float64Array, best: TopHits): void {
  const { slots } = segment;
  let threshold = best.threshold;
  for (let passage = 0; passage < slots.length; passage++) {
    const score = scores[passage]!;
    if (score >= threshold && !Object.is(score, UNTOUCHED) && alive[passage] === 1) {
      best.offer(slots[passage]!, score);
      threshold = best.threshold;
    }
  }
  scores.fill(UNTOUCHED, 0, slots.length);
}
