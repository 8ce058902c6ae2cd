/**
 * The most that any pipeline can cover in a corpus, given known support, and how much of it depends on one document.
 */

/** Documents with a supporting passage, by perspective id. Empty sets if none is known. */
export type Supporting = ReadonlyMap<string, ReadonlySet<string>>;

/** The number of perspectives that the top k must cover. */
function needed({ size }: Supporting, k: number): number {
  return Math.min(k, size);
}

function coverable(perspectives: Supporting, without?: string): number {
  return [...perspectives.values()].filter((documents) =>
    without === undefined ? documents.size > 0 : documents.size > (documents.has(without) ? 1 : 0),
  ).length;
}

/** Perspectives of a question without supporting passages, if they keep every pipeline from covering enough. */
export function uncoverable(perspectives: Supporting, k: number): string[] {
  if (coverable(perspectives) >= needed(perspectives, k)) return [];
  return [...perspectives].flatMap(([id, documents]) => (documents.size === 0 ? [id] : []));
}

export interface OnOneDocument {
  readonly document: string;
  /** Ids of the questions that no pipeline could win without it. */
  readonly queries: readonly string[];
}

/** The document that most questions depend on. `undefined` if no question depends on one document. */
export function mostOnOneDocument(
  questions: ReadonlyMap<string, Supporting>,
  k: number,
): OnOneDocument | undefined {
  const hanging = new Map<string, string[]>();
  for (const [query, perspectives] of questions) {
    if (uncoverable(perspectives, k).length > 0) continue;
    const only = [...perspectives.values()].flatMap((documents) =>
      documents.size === 1 ? [...documents] : [],
    );
    for (const document of new Set(only))
      if (coverable(perspectives, document) < needed(perspectives, k)) {
        const queries = hanging.get(document);
        if (queries) queries.push(query);
        else hanging.set(document, [query]);
      }
  }
  const [most] = [...hanging].sort(([, a], [, b]) => b.length - a.length);
  return most && { document: most[0], queries: most[1] };
}
