/** Weaviate, Milvus, Pinecone and Azure AI Search as retrievers: what a pipeline can say of them. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import {
  access,
  columnName as name,
  ef,
  embedder,
  EMBEDDER_MISSING,
  filter,
  filterText,
  needsEmbedder,
  share,
  url,
} from './store-fields.ts';

export const weaviateRetrieverSchema = z
  .strictObject({
    type: z.literal('weaviate'),
    url: url.default('http://127.0.0.1:8080'),
    collection: name,
    /** Of a collection with multi-tenancy. */
    tenant: z.string().min(1).optional(),
    /** Name of the vector, where objects have several. */
    vector: name.optional(),
    /** Property that holds the text. */
    textField: name.default('text'),
    /** Property that holds the passage's id; the object's own id when left out. */
    idField: name.optional(),
    mode: z.enum(['vector', 'bm25', 'hybrid']).default('vector'),
    /** Needed for `vector` and `hybrid`; otherwise it lets rerankers use the stored vectors. */
    embedder: embedder.optional(),
    /** Weight of the vectors in `hybrid`, from 0 (words alone) to 1; the server's own when left out. */
    alpha: share.optional(),
    /** A `where` filter, as its REST interface writes it. */
    filter,
    ...access,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING);

export const milvusRetrieverSchema = z
  .strictObject({
    type: z.literal('milvus'),
    url: url.default('http://127.0.0.1:19530'),
    database: z.string().min(1).default('default'),
    collection: z.string().min(1),
    partitions: z.array(z.string().min(1)).min(1).optional(),
    /** Field of the vectors. */
    vectorField: name.default('vector'),
    /** Field of the sparse vectors that a BM25 function of the collection makes from its text. */
    sparseField: name.default('sparse'),
    textField: name.default('text'),
    /** Field that holds the passage's id; the primary key when left out. */
    idField: name.optional(),
    mode: z.enum(['vector', 'bm25', 'hybrid']).default('vector'),
    /** Needed for `vector` and `hybrid`; otherwise it lets rerankers use the stored vectors. */
    embedder: embedder.optional(),
    /** Constant of the reciprocal rank fusion that joins the two lists of `hybrid`. */
    rrfK: z.number().int().min(1).default(60),
    /** A boolean expression. */
    filter: filterText,
    ef,
    /** Name of a stored token, or of `user:password`; command line: `<NAME>_API_KEY`. */
    ...access,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING);

export const pineconeRetrieverSchema = z.strictObject({
  type: z.literal('pinecone'),
  /** Of the index: its host. */
  url,
  namespace: z.string().optional(),
  /** Metadata field that holds the text. */
  textField: z.string().min(1).default('text'),
  /** Metadata field that holds the passage's id; the record's own id when left out. */
  idField: z.string().min(1).optional(),
  embedder,
  filter,
  ...access,
});

export const AZURE_METRICS = ['cosine', 'euclidean', 'dotProduct'] as const;

export const azureRetrieverSchema = z
  .strictObject({
    type: z.literal('azure-search'),
    /** Of the search service. */
    url,
    index: z.string().regex(/^[a-z\d][a-z\d-]{0,127}$/u, {
      error: () => l10n.t('has to be the name of an index: small letters, digits and dashes'),
    }),
    /** The key field of the index. */
    keyField: name.default('id'),
    textField: name.default('content'),
    /** Field that holds the passage's id; the key when left out. */
    idField: name.optional(),
    /** Fields that say where a text comes from, e.g. `title` and `url`. */
    aboutFields: z.array(name).max(20).default([]),
    vectorField: name.default('contentVector'),
    /** Of the vector field: it tells how scores become similarities. */
    metric: z.enum(AZURE_METRICS).default('cosine'),
    mode: z.enum(['vector', 'text', 'hybrid']).default('vector'),
    /** Needed for `vector` and `hybrid`; otherwise it lets rerankers use the stored vectors. */
    embedder: embedder.optional(),
    /** Has the service rank once more by its language model, in `text` and `hybrid`. */
    semanticConfiguration: z.string().min(1).optional(),
    /** An OData expression. */
    filter: filterText,
    exact: z.boolean().default(false),
    ...access,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING)
  .refine(({ mode, semanticConfiguration }) => mode !== 'vector' || semanticConfiguration === undefined, {
    path: ['semanticConfiguration'],
    error: () => l10n.t('needs mode "text" or "hybrid": the service reads the words of the question'),
  });

export type WeaviateRetriever = Read<typeof weaviateRetrieverSchema>;
export type MilvusRetriever = Read<typeof milvusRetrieverSchema>;
export type PineconeRetriever = Read<typeof pineconeRetrieverSchema>;
export type AzureRetriever = Read<typeof azureRetrieverSchema>;
