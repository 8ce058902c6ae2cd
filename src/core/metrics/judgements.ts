/**
 * Judgements of one topic, as the measures read them.
 */
import type { RankedLikeness } from '../likeness/ranked-likeness.ts';

/**
 * Perspective id → passage id → relevance, for one query. Above 0: the passage supports the perspective. 0: it was
 * judged not to. Missing: unjudged. A perspective without judgements has an empty map, so that it still counts as a
 * perspective of the query.
 */
export type TopicJudgements = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Passage id → the highest relevance it has for any perspective. */
export type Relevance = ReadonlyMap<string, number>;

/** The two views of a topic's judgements that the measures need, computed once per topic. */
export interface Topic {
  readonly judgements: TopicJudgements;
  /** Relevance without perspectives, the only kind that plain qrels have. */
  readonly relevance: Relevance;
  readonly basis: Basis;
  /** The likeness of the ranked passages, if known. */
  readonly passages?: RankedLikeness | undefined;
}

/**
 * How much is known about perspectives and passages before retrieval.
 *
 * - `pooled`: the qrels define perspectives and passages. A perspective without a supporting judged passage does not
 *   count, as in ndeval.
 * - `given`: the queries define the perspectives, and the qrels which passages support them. All perspectives count.
 * - `open`: like `given`, but passages are judged as they are retrieved. The number of further supporting passages is
 *   unknown, so nothing may be divided by the number of judged ones: another pipeline would change the figure.
 */
export const BASES = ['pooled', 'given', 'open'] as const;
export type Basis = (typeof BASES)[number];

export function topicOf(judgements: TopicJudgements, basis: Basis = 'pooled'): Topic {
  return { judgements, relevance: relevanceOf(judgements), basis };
}

/** The union of the perspectives: each judged passage with its highest relevance. */
export function relevanceOf(judgements: TopicJudgements): Relevance {
  const relevance = new Map<string, number>();
  for (const passages of judgements.values())
    for (const [passage, value] of passages)
      relevance.set(passage, Math.max(value, relevance.get(passage) ?? value));
  return relevance;
}

/** Reads relevance as a binary answer. An unjudged passage does not support. */
export function supports(relevance: number | undefined): boolean {
  return relevance !== undefined && relevance > 0;
}

export function relevantCount(relevance: Relevance): number {
  let count = 0;
  for (const value of relevance.values()) if (value > 0) count++;
  return count;
}

export function relevantAt(ranking: readonly string[], relevance: Relevance, k: number): number {
  return ranking.slice(0, k).filter((passage) => supports(relevance.get(passage))).length;
}

/**
 * The judgements of each perspective that counts: all given ones, or those of the pool that at least one judged passage
 * supports. Their number is ndeval's N.
 */
export function countedPerspectives(
  judgements: TopicJudgements,
  basis: Basis,
): ReadonlyMap<string, number>[] {
  const all = [...judgements.values()];
  return basis === 'pooled' ? all.filter((passages) => [...passages.values()].some(supports)) : all;
}

/** The smallest share of judged pairs for a figure, unless unjudged pairs are known to be "no". */
export const MIN_JUDGED = 0.9;

/**
 * The smallest share of judged passages, for either pipeline, at which differences are given on an `open` basis. Below
 * it, more is unknown than known. Labels imported from sparse qrels stay above it.
 */
export const MIN_JUDGED_TO_COMPARE = 0.5;

/**
 * The share of judged passages from which a figure is close to its final value. Below it, a figure that can only rise
 * is a lower bound.
 */
export const ENOUGH_JUDGED = 0.8;
