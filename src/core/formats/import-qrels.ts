/** Converts qrels to labels. */
import type { Qrels, Query } from '../model.ts';
import { namesPart, type Label } from './labels.ts';

export interface ImportedLabels {
  readonly labels: readonly Label[];
  /** One sentence for each kind of query or passage that is not in the eval set or cannot be labelled. */
  readonly warnings: readonly string[];
}

/**
 * Labels of kind `imported`. Human labels take precedence over them. A passage id of the qrels is read as a document
 * id, as in corpora where every record is one passage.
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

/** Passages of split documents are named by a number after the document's name. No document has such a name. */
function warningOfParts(labels: readonly Label[]): string[] {
  const parts = labels.filter(namesPart);
  if (parts.length === 0) return [];
  return [
    `${parts.length} of ${labels.length} labels name parts of documents, such as "${parts[0]!.document}". A label names a whole document, so they count only where no document is split; name the corpus with --corpus, and they are labels of its passages; parallax eval --qrels scores with such ids, given the same --split.`,
  ];
}
