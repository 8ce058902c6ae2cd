/** Settings and label of Milvus. */
import * as z from 'zod';
import type { Read } from '../../read.ts';
import {
  access,
  columnName,
  ef,
  embedder,
  EMBEDDER_MISSING,
  filterText,
  needsEmbedder,
  url,
} from '../store-fields.ts';
import { declareStore, modeLabel } from '../store-type.ts';

const schema = z
  .strictObject({
    type: z.literal('milvus'),
    url: url.default('http://127.0.0.1:19530'),
    database: z.string().min(1).default('default'),
    collection: z.string().min(1),
    partitions: z.array(z.string().min(1)).min(1).optional(),
    vectorField: columnName.default('vector'),
    /** Field of the sparse vectors that a BM25 function of the collection derives from its text. */
    sparseField: columnName.default('sparse'),
    textField: columnName.default('text'),
    /** Field of the passage's id. Defaults to the primary key. */
    idField: columnName.optional(),
    mode: z.enum(['vector', 'bm25', 'hybrid']).default('vector'),
    /** Required for `vector` and `hybrid`. Otherwise it allows rerankers to use the stored vectors. */
    embedder: embedder.optional(),
    /** Constant of the reciprocal rank fusion of the two lists of `hybrid`. */
    rrfK: z.number().int().min(1).default(60),
    /** A boolean expression. */
    filter: filterText,
    ef,
    /** Name of a stored token or `user:password`; command line: `<NAME>_API_KEY`. */
    ...access,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING);
export type MilvusRetriever = Read<typeof schema>;

export const milvus = declareStore({
  schema,
  address: { usual: 'http://127.0.0.1:19530' },
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
  program: {
    named: [[/^milvus/iu]],
    place: 'collection',
    reads: /\b(?:entity|hit|output_fields)\b["']?\W{0,6}(?:get\(\s?)?["']?(\w{1,80})/gu,
    namesVectors: true,
    langchain: { langchain: { milvus: { textField: 'text', vectorField: 'vector' } } },
  },
});
