/**
 * How vector stores of LangChain for Python treat arguments of a search, according to their source
 * (langchain-community, langchain-core and the stores' own packages, May 2025 to November 2026). For other stores, the
 * checks make no claim that depends on the store.
 */
import type { Composed } from '../match/compose.ts';
import { classOf } from '../resolve/class-of.ts';
import type { Program } from '../resolve/program.ts';

/** All have LangChain's own retriever, which reads `search_type` and `search_kwargs` and ignores the rest. */
export interface LangChainStore {
  /** Similarity searches do not support `fetch_k` and `lambda_mult`. */
  readonly readsFetchKForMmrOnly?: boolean | undefined;
  /** Similarity searches ignore or reject a `score_threshold`. */
  readonly readsThresholdByTypeOnly?: boolean | undefined;
  /** With a filter, fetches `fetch_k` passages, 20 by default, and filters them afterwards. */
  readonly filtersAfterFetching?: boolean | undefined;
  /** The weight of MMR may be inverted. */
  readonly invertsWeight?: boolean | undefined;
  readonly source: string;
}

const CORE = 'https://github.com/langchain-ai/langchain/blob/master/libs';
const COMMUNITY =
  'https://github.com/langchain-ai/langchain-community/blob/main/libs/community/langchain_community/vectorstores';
const PLAIN = { readsFetchKForMmrOnly: true, readsThresholdByTypeOnly: true } as const;

const STORES: ReadonlyMap<string, LangChainStore> = new Map<string, LangChainStore>([
  ['Chroma', { ...PLAIN, source: `${CORE}/partners/chroma/langchain_chroma/vectorstores.py` }],
  ['Clickhouse', { source: `${COMMUNITY}/clickhouse.py` }],
  ['FAISS', { filtersAfterFetching: true, source: `${COMMUNITY}/faiss.py` }],
  ['InMemoryVectorStore', { ...PLAIN, source: `${CORE}/core/langchain_core/vectorstores/in_memory.py` }],
  ['LanceDB', { source: `${COMMUNITY}/lancedb.py` }],
  ['Milvus', { source: `${COMMUNITY}/milvus.py` }],
  ['Neo4jVector', { source: `${COMMUNITY}/neo4j_vector.py` }],
  ['OpenSearchVectorSearch', { source: `${COMMUNITY}/opensearch_vector_search.py` }],
  [
    'PGVector',
    {
      ...PLAIN,
      source:
        'https://github.com/langchain-ai/langchain-postgres/blob/main/langchain_postgres/vectorstores.py',
    },
  ],
  ['Pinecone', { ...PLAIN, source: `${COMMUNITY}/pinecone.py` }],
  [
    'PineconeVectorStore',
    {
      ...PLAIN,
      source:
        'https://github.com/langchain-ai/langchain-pinecone/blob/main/libs/pinecone/langchain_pinecone/vectorstores.py',
    },
  ],
  ['Qdrant', { readsFetchKForMmrOnly: true, source: `${COMMUNITY}/qdrant.py` }],
  [
    'QdrantVectorStore',
    {
      readsFetchKForMmrOnly: true,
      invertsWeight: true,
      source: `${CORE}/partners/qdrant/langchain_qdrant/qdrant.py`,
    },
  ],
  ['SKLearnVectorStore', { readsFetchKForMmrOnly: true, source: `${COMMUNITY}/sklearn.py` }],
  ['SupabaseVectorStore', { readsFetchKForMmrOnly: true, source: `${COMMUNITY}/supabase.py` }],
  ['UpstashVectorStore', { source: `${COMMUNITY}/upstash.py` }],
  ['Weaviate', { source: `${COMMUNITY}/weaviate.py` }],
]);

/** The store of the call. `undefined` if it is unknown or its source was not read. */
export function storeOf(program: Program, { match }: Composed): LangChainStore | undefined {
  const { callee } = match.call;
  if (match.rule.library.library !== 'langchain' || callee.kind !== 'member') return undefined;
  const storeClass = classOf(program, callee.object);
  return storeClass && /^langchain/u.test(storeClass.module) ? STORES.get(storeClass.name) : undefined;
}
