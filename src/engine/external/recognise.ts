/** Finds the results of a foreign retriever in a corpus with a lexical index. */
import { holdsLongText, isCutOf, namesDocument, namesOfSource } from '../../core/external/cut.ts';
import type { MatchCorpus } from '../../core/external/match.ts';
import { DEFAULT_BM25, type Bm25Retriever } from '../../core/pipeline.ts';
import type { Store } from '../store/store.ts';
import type { Hit, StoredPassage } from '../types.ts';

/** The number of words of a foreign text to search for, and of passages to compare with the whole text. */
const MATCHED_WORDS = 64;
const MATCHED_PASSAGES = 5;
/** The passages of a corpus as `matchPassages` reads them. */
export function matchCorpus(
  store: Pick<Store, 'passages'>,
  bm25: (query: string, spec: Bm25Retriever, depth: number) => Promise<{ readonly hits: readonly Hit[] }>,
): MatchCorpus<StoredPassage> {
  const similar = async (text: string): Promise<StoredPassage[]> => {
    const query = text.split(/\s+/u, MATCHED_WORDS).join(' ');
    const { hits } = await bm25(query, DEFAULT_BM25, MATCHED_PASSAGES);
    return hits.flatMap(({ item }) => store.passages.bySlot(item) ?? []);
  };
  const textOf = (document: string): string =>
    store.passages
      .ofDocument(document)
      .map(({ text }) => text)
      .join('\n');
  return {
    byId: (id) => store.passages.byId(id) ?? onlyOne(store.passages.ofDocument(id)),
    /** The passages that share most words with a text. */
    similar,
    textOf: ({ text }) => text,
    documentOf: async ({ text, id, about }) => {
      const names = namesOfSource({ id, about });
      if (text === undefined) return undefined;
      const near = new Set((await similar(text)).map(({ documentId }) => documentId));
      const named = [...new Set([...names, ...near])].filter(
        (document) =>
          names.some((name) => namesDocument(name, document)) &&
          store.passages.ofDocument(document).length > 0,
      );
      if (named.length > 0) return named.find((document) => isCutOf(text, textOf(document)));
      // Many programs keep no source beside their passages.
      const [only, second] = [...near].filter((document) => holdsLongText(textOf(document), text));
      return second === undefined ? only : undefined;
    },
  };
}

/** A document of several passages is not one passage. */
const onlyOne = (passages: readonly StoredPassage[]): StoredPassage | undefined =>
  passages.length === 1 ? passages[0] : undefined;
