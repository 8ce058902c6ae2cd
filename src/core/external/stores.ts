/**
 * Stores beyond one machine as retrievers in a pipeline: a collection is searched where it lives. No password and
 * no key stands in a pipeline; `key` is the name under which one is stored.
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

/** All types of stores, by their names in `parallax.json`. */
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
/** Of all types, in their order. */
export const storeRetrieverSchemas = Object.values(STORES).map(({ schema }) => schema) as [
  Schema,
  ...Schema[],
];
export const storeRetrieverSchema = z.discriminatedUnion('type', storeRetrieverSchemas);

export type StoreRetriever = Read<typeof storeRetrieverSchema>;
/** A store that is asked for the neighbours of a vector, so that a query can be projected. */
export type VectorStoreRetriever = StoreRetriever & { readonly embedder: string };
