/** Qrels as labels: what others judged becomes part of a workspace's judgements. */
import type { Qrels, Query } from '../model.ts';
import { namesPart, type Label } from './labels.ts';

export interface ImportedLabels {
  readonly labels: readonly Label[];
  /** Queries and passages that the eval set does not have, or that no label can name; one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Labels of kind `imported`; human labels win over them. A passage id of the qrels names a document, as it
 * does where every record of a corpus is one passage.
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
  return { labels, warnings: [...warnings, ...warningOfParts(labels)] };
}

/** Passages of documents that are split are called by a number behind the document's name, and no document is. */
function warningOfParts(labels: readonly Label[]): string[] {
  const parts = labels.filter(namesPart);
  if (parts.length === 0) return [];
  return [
    `${parts.length} of ${labels.length} labels name parts of documents, such as "${parts[0]!.document}". A label names a whole document, so they count only where no document is split; name the corpus with --corpus, and they are labels of its passages; parallax eval --qrels scores with such ids, given the same --split.`,
  ];
}
