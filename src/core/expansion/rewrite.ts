/** The texts to search with after a model wrote passages for a query. */

/** How written passages are used, see {@link rewrittenQuery}. */
export type RewriteForm =
  | {
      readonly type: 'hyde';
      readonly passages?: number | undefined;
      readonly withQuery?: boolean | undefined;
    }
  | { readonly type: 'query2doc' }
  | { readonly type: 'mugi'; readonly passages?: number | undefined; readonly balance?: number | undefined };

/** Repeats of the query before a pseudo-document in word search (Wang et al. 2023, section 3). */
const QUERY2DOC_REPEAT = 5;

/** Defaults of MuGI: the number of passages in the paper, and the balance in its authors' code. */
export const MUGI_PASSAGES = 5;
export const MUGI_BALANCE = 6;

/** The number of passages that a model writes for a query. */
export function passagesOf(form: RewriteForm): number {
  if (form.type === 'query2doc') return 1;
  return form.passages ?? (form.type === 'mugi' ? MUGI_PASSAGES : 1);
}

/** The texts that replace a query in a search. */
export interface SearchedText {
  /** For word search. */
  readonly text: string;
  /** For vector search: texts to encode as queries and as passages and to average. Defaults to `text` alone. */
  readonly mean?: TextsOfMean | undefined;
}

export interface TextsOfMean {
  readonly queries: readonly string[];
  readonly passages: readonly string[];
}

/**
 * The texts to search with, made from generated passages.
 *
 * - HyDE (Gao et al. 2023) searches for the passages alone, or together with the query, by the mean of their vectors. A
 *   single passage is searched for as a query.
 * - query2doc (Wang, Yang and Wei 2023) searches for the query followed by the passage. In word search, it repeats the
 *   query so that the passage does not dominate: 5 times in the paper, once for embeddings.
 * - MuGI (Zhang et al. 2024) repeats the query in proportion to the passages: their length in characters, divided by
 *   the query's and by the balance, rounded down, and at least once. For vectors, the mean of the query before each
 *   passage.
 *
 * @param passages at least one
 */
export function rewrittenQuery(
  query: string,
  passages: readonly string[],
  form: RewriteForm,
  countsWords: boolean,
): SearchedText {
  const trimmedQuery = query.trim();
  const repeated = (times: number): string =>
    [...Array<string>(times).fill(trimmedQuery), ...passages].join(' ');
  switch (form.type) {
    case 'hyde': {
      const text = repeated(form.withQuery ? 1 : 0);
      if (passages.length === 1 && !form.withQuery) return { text };
      return { text, mean: { queries: form.withQuery ? [trimmedQuery] : [], passages } };
    }
    case 'query2doc':
      return { text: repeated(countsWords ? QUERY2DOC_REPEAT : 1) };
    case 'mugi':
      return {
        text: repeated(mugiRepeats(trimmedQuery, passages, form.balance)),
        mean: { queries: passages.map((passage) => `${trimmedQuery} ${passage}`), passages: [] },
      };
  }
}

function mugiRepeats(query: string, passages: readonly string[], balance = MUGI_BALANCE): number {
  const written = passages.join(' ').length;
  return Math.max(1, Math.floor(Math.floor(written / Math.max(1, query.length)) / balance));
}
