/** Qrels as labels: what others judged becomes part of a workspace's judgements. */
import type { Qrels, Query } from '../model.ts';
import type { Label } from './labels.ts';

export interface ImportedLabels {
  readonly labels: readonly Label[];
  /** Queries and perspectives of the qrels that the eval set does not have, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Labels of kind `imported`; human labels win over them. A passage id of the qrels names a document, as it
 * does where every record of a corpus is one passage. Negative relevance means pooled but unjudged in TREC,
 * and gives no label.
 *
 * @param name of the qrels, for people
 * @param at ISO 8601
 */
export function labelsFromQrels(
  qrels: Qrels,
  queries: readonly Query[],
  name: string,
  at: string,
): ImportedLabels {
  const known = new Map(queries.map((query) => [query.id, query]));
  const labels: Label[] = [];
  const warnings: string[] = [];
  for (const [queryId, topic] of qrels) {
    const query = known.get(queryId);
    if (!query) {
      warnings.push(`The query "${queryId}" is not in the eval set; its judgements are left out.`);
      continue;
    }
    for (const [perspectiveId, passages] of topic) {
      const perspective = query.perspectives.find(({ id }) => id === perspectiveId);
      if (!perspective) {
        warnings.push(
          `The query "${queryId}" has no perspective "${perspectiveId}"; its judgements are left out.`,
        );
        continue;
      }
      for (const [document, relevance] of passages)
        if (relevance >= 0)
          labels.push({
            v: 1,
            query: queryId,
            perspective: perspectiveId,
            perspectiveText: perspective.text,
            document,
            verdict: relevance > 0 ? 'yes' : 'no',
            by: { kind: 'imported', name },
            at,
            standard: 'imported',
          });
    }
  }
  return { labels, warnings };
}
