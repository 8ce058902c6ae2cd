/** Types of stores: how each ranks, where it is, and what it is called. The schema of its fields is beside this. */
import type { OpenSearchRetriever, StoreRetriever, VectorStoreRetriever } from './stores.ts';

/** A type of store, beside the schema of its fields. */
interface StoreType<S extends StoreRetriever> {
  /** Where it answers unless it was told otherwise, or how its address begins. */
  readonly usualAddress: string;
  /** Whether it ranks by vectors alone. */
  readonly ranksByVector: (store: S) => boolean;
  /** Whether it may leave out what an exact search would find. */
  readonly searchesApproximately: (store: S) => boolean;
  /** Everything that tells where its records are, and what they are called. */
  readonly place: (store: S) => readonly unknown[];
  /** For people, with what is searched in it: `Chroma (articles)`. */
  readonly label: (store: S) => string;
}

const STORE_TYPES: {
  readonly [T in StoreRetriever['type']]: StoreType<Extract<StoreRetriever, { type: T }>>;
} = {
  chroma: {
    usualAddress: 'http://127.0.0.1:8000',
    ranksByVector: () => true,
    searchesApproximately: () => true,
    place: ({ url: at, tenant, database, collection, idField }) => [
      at,
      tenant,
      database,
      collection,
      idField,
    ],
    label: ({ collection }) => `Chroma (${collection})`,
  },
  postgres: {
    usualAddress: 'postgres://',
    ranksByVector: ({ mode }) => mode === 'vector',
    searchesApproximately: ({ mode, exact }) => mode === 'vector' && !exact,
    place: ({ url: at, key: stored, host, port, database, schema, table, columns }) => [
      at,
      // Which database it is may stand in what is stored.
      database === undefined ? stored : undefined,
      host,
      port,
      database,
      schema,
      table,
      columns.id,
    ],
    label: ({ mode, table }) => `${POSTGRES_MODES[mode]} (${table})`,
  },
  qdrant: {
    usualAddress: 'http://127.0.0.1:6333',
    ranksByVector: () => true,
    searchesApproximately: ({ exact }) => !exact,
    place: ({ url: at, collection, idField }) => [at, collection, idField],
    label: ({ collection, mmr }) => `Qdrant (${collection})${mmr ? diversityLabel(mmr.diversity) : ''}`,
  },
  opensearch: {
    usualAddress: 'http://127.0.0.1:9200',
    ranksByVector: ({ mode }) => mode === 'knn',
    searchesApproximately: ({ mode }) => mode !== 'bm25',
    place: ({ url: at, index, idField }) => [at, index, idField],
    label: (store) => `${ENGINES[store.engine]} ${MODES[store.mode]} (${store.index})${ownMmrLabel(store)}`,
  },
  weaviate: {
    usualAddress: 'http://127.0.0.1:8080',
    ranksByVector: ({ mode }) => mode === 'vector',
    searchesApproximately: ({ mode }) => mode !== 'bm25',
    place: ({ url: at, collection, tenant, idField }) => [at, collection, tenant, idField],
    label: ({ mode, collection }) => `Weaviate${modeLabel(mode)} (${collection})`,
  },
  milvus: {
    usualAddress: 'http://127.0.0.1:19530',
    ranksByVector: ({ mode }) => mode === 'vector',
    searchesApproximately: ({ mode }) => mode !== 'bm25',
    place: ({ url: at, database, collection, partitions, idField }) => [
      at,
      database,
      collection,
      partitions,
      idField,
    ],
    label: ({ mode, collection }) => `Milvus${modeLabel(mode)} (${collection})`,
  },
  pinecone: {
    usualAddress: 'https://',
    ranksByVector: () => true,
    searchesApproximately: () => true,
    place: ({ url: at, namespace, idField }) => [at, namespace ?? '', idField],
    label: ({ url: at, namespace = '' }) =>
      `Pinecone (${new URL(at).hostname.split('.')[0]}${namespace === '' ? '' : `/${namespace}`})`,
  },
  'azure-search': {
    usualAddress: 'https://',
    ranksByVector: ({ mode }) => mode === 'vector',
    searchesApproximately: ({ mode, exact }) => mode !== 'text' && !exact,
    place: ({ url: at, index, keyField, idField }) => [at, index, keyField, idField],
    label: ({ mode, index, semanticConfiguration }) =>
      `Azure AI Search${modeLabel(mode)}${semanticConfiguration === undefined ? '' : ' + semantic ranking'} (${index})`,
  },
  lancedb: {
    usualAddress: '',
    ranksByVector: ({ mode }) => mode === 'vector',
    searchesApproximately: ({ mode, exact }) => mode !== 'bm25' && !exact,
    place: ({ uri, region, host, table, idField }) => [uri, region, host, table, idField],
    label: ({ mode, table }) => `LanceDB${modeLabel(mode)} (${table})`,
  },
  mongodb: {
    usualAddress: 'mongodb+srv://',
    ranksByVector: ({ mode }) => mode === 'vector',
    searchesApproximately: ({ mode, exact }) => mode !== 'text' && !exact,
    place: ({ url: at, key: stored, database, collection, idField }) => [
      // Which server it is may stand in what is stored.
      at ?? stored,
      database,
      collection,
      idField,
    ],
    label: ({ mode, collection }) => `MongoDB${modeLabel(mode)} (${collection})`,
  },
};

function typeOf(store: StoreRetriever): StoreType<StoreRetriever> {
  return STORE_TYPES[store.type] as StoreType<StoreRetriever>;
}

/** Where a store of this type answers unless it was told otherwise, or how its address begins. */
export function usualAddress(type: StoreRetriever['type']): string {
  return STORE_TYPES[type].usualAddress;
}

export function isStore(retriever: { readonly type: string }): retriever is StoreRetriever {
  return Object.hasOwn(STORE_TYPES, retriever.type);
}

/** Whether it ranks by vectors alone. */
export function isVectorStore(retriever: { readonly type: string }): retriever is VectorStoreRetriever {
  return isStore(retriever) && typeOf(retriever).ranksByVector(retriever);
}

/** Whether the store may leave out what an exact search would find. */
export function searchesApproximately(store: StoreRetriever): boolean {
  return typeOf(store).searchesApproximately(store);
}

/** Whether two pipelines search the same records, under the same ids, be it in different ways. */
export function isSameCollection(a: StoreRetriever, b: StoreRetriever): boolean {
  return a.type === b.type && JSON.stringify(typeOf(a).place(a)) === JSON.stringify(typeOf(b).place(b));
}

/** A store's name for people: `Chroma (articles)`. Its own MMR is told by the weight on relevance, whatever its polarity. */
export function storeLabel(store: StoreRetriever): string {
  return typeOf(store).label(store);
}

const POSTGRES_MODES = {
  vector: 'pgvector',
  text: 'PostgreSQL full text',
  bm25: 'PostgreSQL BM25',
} as const;
const ENGINES = { opensearch: 'OpenSearch', elasticsearch: 'Elasticsearch' } as const;
const MODES = { bm25: 'BM25', knn: 'kNN', hybrid: 'hybrid' } as const;

/** Vectors are what a store is asked by unless something else is said. */
function modeLabel(mode: 'vector' | 'bm25' | 'text' | 'hybrid'): string {
  return { vector: '', bm25: ' BM25', text: ' full text', hybrid: ' hybrid' }[mode];
}

function ownMmrLabel({ mmr }: OpenSearchRetriever): string {
  if (!mmr) return '';
  return mmr.lambda === undefined
    ? diversityLabel(mmr.diversity ?? 0)
    : ` + own MMR ${mmr.lambda} on relevance`;
}

/** 1 − 0.7 is not 0.3 in binary. */
const relevanceOf = (diversity: number): number => Number((1 - diversity).toFixed(6));

function diversityLabel(diversity: number): string {
  return ` + own MMR ${relevanceOf(diversity)} on relevance (diversity ${diversity})`;
}
