/**
 * Judgements of one topic, as the measures read them.
 */

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
}

export function topicOf(judgements: TopicJudgements): Topic {
  return { judgements, relevance: relevanceOf(judgements) };
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

/** The judgements of each perspective that at least one judged passage supports; ndeval's N is their number. */
export function supportablePerspectives(judgements: TopicJudgements): ReadonlyMap<string, number>[] {
  return [...judgements.values()].filter((passages) => [...passages.values()].some(supports));
}
