/** Creates the client of each type of store. */
import type { StoreRetriever } from '../../../core/external/stores.ts';
import { createAzureStore } from './azure-store.ts';
import { createChromaStore } from './chroma-store.ts';
import { createLanceStore } from './lancedb/lance-store.ts';
import { createMilvusStore } from './milvus-store.ts';
import { createMongoStore } from './mongodb/mongo-store.ts';
import { createOpenSearchStore } from './opensearch-store.ts';
import { createPineconeStore } from './pinecone-store.ts';
import { createPostgresStore } from './postgres/postgres-store.ts';
import { createQdrantStore } from './qdrant-store.ts';
import type { FindEmbedder } from './query-vectors.ts';
import type { RemoteStore } from './remote-store.ts';
import { createWeaviateStore } from './weaviate-store.ts';

type CreateStore<S extends StoreRetriever> = (
  spec: S,
  secret: string | undefined,
  embedder: FindEmbedder,
) => RemoteStore;

/** A type without an entry does not compile. */
const CREATE_STORE: {
  readonly [T in StoreRetriever['type']]: CreateStore<Extract<StoreRetriever, { type: T }>>;
} = {
  chroma: createChromaStore,
  postgres: createPostgresStore,
  qdrant: createQdrantStore,
  opensearch: createOpenSearchStore,
  weaviate: createWeaviateStore,
  milvus: createMilvusStore,
  pinecone: createPineconeStore,
  'azure-search': createAzureStore,
  lancedb: createLanceStore,
  mongodb: createMongoStore,
};

/**
 * @param secret the stored key or password that the store names; undefined if it names none
 * @param embedder by its name in parallax.json; embeds queries for the store
 */
export function createStore(
  spec: StoreRetriever,
  secret: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  return (CREATE_STORE[spec.type] as CreateStore<StoreRetriever>)(spec, secret, embedder);
}
