/** Written by scripts/stores.ts from the types of stores. */
import { createStore as azureSearch } from './azure-search-store.ts';
import { createStore as chroma } from './chroma-store.ts';
import { createStore as lancedb } from './lancedb-store.ts';
import { createStore as milvus } from './milvus-store.ts';
import { createStore as mongodb } from './mongodb-store.ts';
import { createStore as opensearch } from './opensearch-store.ts';
import { createStore as pinecone } from './pinecone-store.ts';
import { createStore as postgres } from './postgres-store.ts';
import { createStore as qdrant } from './qdrant-store.ts';
import { createStore as weaviate } from './weaviate-store.ts';

/** Creates the client of each type of store. */
export const DIALECTS = {
  'azure-search': azureSearch,
  chroma,
  lancedb,
  milvus,
  mongodb,
  opensearch,
  pinecone,
  postgres,
  qdrant,
  weaviate,
};
