/**
 * Stores as retrievers in a pipeline. A collection is searched where it is stored. Pipelines contain no passwords or
 * keys; `key` is the name of a stored one.
 */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { azure } from './stores/azure.ts';
import { chroma } from './stores/chroma.ts';
import { lancedb } from './stores/lancedb.ts';
import { milvus } from './stores/milvus.ts';
import { mongodb } from './stores/mongodb.ts';
import { opensearch } from './stores/opensearch.ts';
import { pinecone } from './stores/pinecone.ts';
import { postgres } from './stores/postgres.ts';
import { qdrant } from './stores/qdrant.ts';
import { weaviate } from './stores/weaviate.ts';

/** All types of stores, by their name in `parallax.json`. */
export const STORES = {
  chroma,
  postgres,
  qdrant,
  opensearch,
  weaviate,
  milvus,
  pinecone,
  'azure-search': azure,
  lancedb,
  mongodb,
};

type Schema = (typeof STORES)[keyof typeof STORES]['schema'];
/** The schemas of all types, in order. */
export const storeRetrieverSchemas = Object.values(STORES).map(({ schema }) => schema) as [
  Schema,
  ...Schema[],
];
export const storeRetrieverSchema = z.discriminatedUnion('type', storeRetrieverSchemas);

export type StoreRetriever = Read<typeof storeRetrieverSchema>;
/** A store that is searched by vector, so that a query can be projected. */
export type VectorStoreRetriever = StoreRetriever & { readonly embedder: string };
