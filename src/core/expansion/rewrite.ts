/** The texts to search with where a model has written passages for a query. */

/** How written passages are used; see {@link rewrittenQuery}. */
export type RewriteForm =
  | {
      readonly type: 'hyde';
      readonly passages?: number | undefined;
      readonly withQuery?: boolean | undefined;
    }
  | { readonly type: 'query2doc' }
  | { readonly type: 'mugi'; readonly passages?: number | undefined; readonly balance?: number | undefined };

/** Repeats of the query before a pseudo-document, where words are counted (Wang et al. 2023, section 3). */
const QUERY2DOC_REPEAT = 5;

/** Defaults of MuGI: the paper's number of passages, and the balance of its authors' code. */
export const MUGI_PASSAGES = 5;
export const MUGI_BALANCE = 6;

/** How many passages a model writes for a query. */
export function passagesOf(form: RewriteForm): number {
  if (form.type === 'query2doc') return 1;
  return form.passages ?? (form.type === 'mugi' ? MUGI_PASSAGES : 1);
}

/** The texts that are searched for in the place of a query. */
export interface SearchedText {
  /** Where words count. */
  readonly text: string;
  /** Where vectors count: the mean of these, encoded as what they are; the text alone when left out. */
  readonly mean?: TextsOfMean | undefined;
}

export interface TextsOfMean {
  readonly queries: readonly string[];
  readonly passages: readonly string[];
}

/**
 * The texts to search with, made from invented passages.
 *
 * - HyDE (Gao et al. 2023) searches for the passages alone, or with the query beside them: by the mean of their
 *   vectors. One passage alone is searched for as a query.
 * - query2doc (Wang, Yang and Wei 2023) searches for the query followed by the passage. Where words are counted it
 *   repeats the query so that the passage does not drown it: 5 times in the paper; once for embeddings.
 * - MuGI (Zhang et al. 2024) has as many repeats as the passages are long, in characters: their length, divided by that
 *   of the query and by the balance, rounded down, and at least one. Vectors: the mean of the query before each passage.
 *
 * @param passages at least one
 */
export function rewrittenQuery(
  query: string,
  passages: readonly string[],
  form: RewriteForm,
  countsWords: boolean,
): SearchedText {
  const own = query.trim();
  const repeated = (times: number): string => [...Array<string>(times).fill(own), ...passages].join(' ');
  switch (form.type) {
    case 'hyde': {
      const text = repeated(form.withQuery ? 1 : 0);
      if (passages.length === 1 && !form.withQuery) return { text };
      return { text, mean: { queries: form.withQuery ? [own] : [], passages } };
    }
    case 'query2doc':
      return { text: repeated(countsWords ? QUERY2DOC_REPEAT : 1) };
    case 'mugi':
      return {
        text: repeated(mugiRepeats(own, passages, form.balance)),
        mean: { queries: passages.map((passage) => `${own} ${passage}`), passages: [] },
      };
  }
}

function mugiRepeats(query: string, passages: readonly string[], balance = MUGI_BALANCE): number {
  const written = passages.join(' ').length;
  return Math.max(1, Math.floor(Math.floor(written / Math.max(1, query.length)) / balance));
}
