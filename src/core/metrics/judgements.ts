/**
 * Judgements of one topic, as the measures read them.
 */
import type { RankedLikeness } from '../likeness/ranked-likeness.ts';

/**
 * Perspective id → passage id → relevance, for one query. Above 0: the passage supports the perspective;
 * 0: it was judged not to; absent: unjudged. A perspective without any judgement has an empty map, so
 * that it still counts as a perspective of the query.
 */
export type TopicJudgements = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Passage id → the highest relevance it has for any perspective. */
export type Relevance = ReadonlyMap<string, number>;

/** The two views of a topic's judgements that the measures need, made once per topic. */
export interface Topic {
  readonly judgements: TopicJudgements;
  /** Relevance with perspectives ignored; plain qrels have nothing else. */
  readonly relevance: Relevance;
  readonly basis: Basis;
  /** Of the ranking at hand, where that is known. */
  readonly passages?: RankedLikeness | undefined;
}

/**
 * How much is known of perspectives and passages before anything is retrieved.
 *
 * - `pooled`: perspectives and passages are those of the qrels. What no judged passage supports is no perspective, as
 *   in ndeval.
 * - `given`: the queries say which perspectives there are, and qrels which passages support them. All of them count.
 * - `open`: as `given`, but passages were judged as they were retrieved. How many more there are that support is not
 *   known, so that nothing may be divided by what happens to be judged: another pipeline would change the figure.
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

/** Relevance read as a binary answer; an unjudged passage does not support. */
export function supports(relevance: number | undefined): boolean {
  return relevance !== undefined && relevance > 0;
}

/** How many passages have a relevance above 0. */
export function relevantCount(relevance: Relevance): number {
  let count = 0;
  for (const value of relevance.values()) if (value > 0) count++;
  return count;
}

/** How many of the top k passages are relevant. */
export function relevantAt(ranking: readonly string[], relevance: Relevance, k: number): number {
  return ranking.slice(0, k).filter((passage) => supports(relevance.get(passage))).length;
}

/**
 * The judgements of each perspective that counts: all that are given, or those of the pool that at least one judged
 * passage supports. Their number is ndeval's N.
 */
export function countedPerspectives(
  judgements: TopicJudgements,
  basis: Basis,
): ReadonlyMap<string, number>[] {
  const all = [...judgements.values()];
  return basis === 'pooled' ? all.filter((passages) => [...passages.values()].some(supports)) : all;
}

/** Below this share of judged pairs, no figure is given where nothing else says that the rest is "no". */
export const LEAST_JUDGED = 0.9;

/**
 * Below this share of judged passages of either pipeline, differences are not given where what nobody has judged is open:
 * the holes are then more than what is known. Labels that were imported from sparse qrels stay above it.
 */
export const LEAST_JUDGED_TO_COMPARE = 0.5;

/** From this share of judged passages on, a figure is near what it will be; below it, one that can only rise is a least one. */
export const ENOUGH_JUDGED = 0.8;
