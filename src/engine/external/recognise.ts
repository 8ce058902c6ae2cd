/** How the results of a foreign retriever are looked up in a corpus that has a lexical index. */
import type { MatchCorpus } from '../../core/external/match.ts';
import { DEFAULT_BM25, type Bm25Retriever } from '../../core/pipeline.ts';
import type { Store } from '../store/store.ts';
import type { Hit, StoredPassage } from '../types.ts';

/** Beginning of a foreign text that is searched for, and how many passages are compared with all of it. */
const MATCHED_WORDS = 64;
const MATCHED_PASSAGES = 5;
/** The passages of a corpus as `matchPassages` looks for them. */
export function matchCorpus(
  store: Pick<Store, 'passages'>,
  bm25: (query: string, spec: Bm25Retriever, depth: number) => Promise<{ readonly hits: readonly Hit[] }>,
): MatchCorpus<StoredPassage> {
  return {
    byId: (id) => store.passages.byId(id) ?? onlyOne(store.passages.ofDocument(id)),
    /** Those that share most words with a text. */
    similar: async (text) => {
      const query = text.split(/\s+/u, MATCHED_WORDS).join(' ');
      const { hits } = await bm25(query, DEFAULT_BM25, MATCHED_PASSAGES);
      return hits.flatMap(({ item }) => store.passages.bySlot(item) ?? []);
    },
    textOf: ({ text }) => text,
  };
}

/** A document of several passages is not one of them. */
const onlyOne = (passages: readonly StoredPassage[]): StoredPassage | undefined =>
  passages.length === 1 ? passages[0] : undefined;
