/** What the corpus lets any pipeline cover, as far as is known, and how much of that hangs on one document. */

/** Documents with a passage that supports a perspective, by perspective id; empty if none is known. */
export type Supporting = ReadonlyMap<string, ReadonlySet<string>>;

/** How many of a question's perspectives the top k has to cover. */
function needed({ size }: Supporting, k: number): number {
  return Math.min(k, size);
}

function coverable(perspectives: Supporting, without?: string): number {
  return [...perspectives.values()].filter((documents) =>
    without === undefined ? documents.size > 0 : documents.size > (documents.has(without) ? 1 : 0),
  ).length;
}

/** Perspectives of a question that no passage supports, where that keeps every pipeline from covering enough. */
export function uncoverable(perspectives: Supporting, k: number): string[] {
  if (coverable(perspectives) >= needed(perspectives, k)) return [];
  return [...perspectives].flatMap(([id, documents]) => (documents.size === 0 ? [id] : []));
}

export interface OnOneDocument {
  readonly document: string;
  /** Ids of the questions that no pipeline could win without it. */
  readonly queries: readonly string[];
}

/** The document that most questions hang on; nothing where there is none that any hangs on. */
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
