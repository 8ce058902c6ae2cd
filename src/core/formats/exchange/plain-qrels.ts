/** Judgements for formats without perspectives. */
import { relevanceOf } from '../../metrics/judgements.ts';
import type { Qrels } from '../../model.ts';

/** Query id → passage id → the highest relevance for any perspective. Empty for queries without judgements. */
export function unionOfPerspectives(qrels: Qrels): Map<string, ReadonlyMap<string, number>> {
  return new Map([...qrels].map(([query, topic]) => [query, relevanceOf(topic)]));
}
