/** Settings and label of Weaviate. */
import * as z from 'zod';
import type { Read } from '../../read.ts';
import {
  access,
  columnName,
  embedder,
  EMBEDDER_MISSING,
  filter,
  needsEmbedder,
  share,
  url,
} from '../store-fields.ts';
import { declareStore, modeLabel } from '../store-type.ts';

const schema = z
  .strictObject({
    type: z.literal('weaviate'),
    url: url.default('http://127.0.0.1:8080'),
    collection: columnName,
    /** For collections with multi-tenancy. */
    tenant: z.string().min(1).optional(),
    /** Name of the vector, if objects have several. */
    vector: columnName.optional(),
    /** Property of the text. */
    textField: columnName.default('text'),
    /** Property of the passage's id. Defaults to the object's own id. */
    idField: columnName.optional(),
    mode: z.enum(['vector', 'bm25', 'hybrid']).default('vector'),
    /** Required for `vector` and `hybrid`. Otherwise it allows rerankers to use the stored vectors. */
    embedder: embedder.optional(),
    /** Weight of the vectors in `hybrid`, from 0 (words only) to 1. Defaults to the server's own. */
    alpha: share.optional(),
    /** A `where` filter in the form of its REST interface. */
    filter,
    ...access,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING);
export type WeaviateRetriever = Read<typeof schema>;

export const weaviate = declareStore({
  schema,
  address: { usual: 'http://127.0.0.1:8080' },
  ranksByVector: ({ mode }) => mode === 'vector',
  searchesApproximately: ({ mode }) => mode !== 'bm25',
  place: ({ url: at, collection, tenant, idField }) => [at, collection, tenant, idField],
  label: ({ mode, collection }) => `Weaviate${modeLabel(mode)} (${collection})`,
  program: {
    named: [[/^weaviate/iu]],
    place: 'collection',
    reads: /\bproperties\b\W{0,3}(?:get\(\s?)?["']?(\w{1,80})/gu,
  },
});
