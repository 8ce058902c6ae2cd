/** Written by scripts/stores.ts from the files of `stores`. */
import { azureSearch } from './stores/azure-search.ts';
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
