/** Qdrant: what a pipeline can say of it, and what it is called. */
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { access, ef, embedder, filter, share, url } from '../store-fields.ts';
import { declareStore, diversityLabel } from '../store-type.ts';

const schema = z.strictObject({
  type: z.literal('qdrant'),
  url: url.default('http://127.0.0.1:6333'),
  collection: z.string().min(1),
  /** Name of the vector, where points have several. */
  vector: z.string().min(1).optional(),
  embedder,
  /** Path of the text in the payload, e.g. `page_content`. */
  textField: z.string().min(1).default('text'),
  /** Path of the passage's id in the payload; the point's own id when left out. */
  idField: z.string().min(1).optional(),
  filter,
  exact: z.boolean().default(false),
  ef,
  /** Qdrant's own MMR, in its own words: `diversity` 1 looks for dissimilar passages only. */
  mmr: z
    .strictObject({
      diversity: share.default(0.5),
      /** How many it chooses from. Not more than are asked for means that it can only reorder. */
      candidates: z.number().int().min(1).max(10_000).default(100),
    })
    .optional(),
  /** Name of a stored API key; command line: `<NAME>_API_KEY`. */
  ...access,
});
export type QdrantRetriever = Read<typeof schema>;

export const qdrant = declareStore({
  schema,
  usualAddress: 'http://127.0.0.1:6333',
  ranksByVector: () => true,
  searchesApproximately: ({ exact }) => !exact,
  place: ({ url: at, collection, idField }) => [at, collection, idField],
  label: ({ collection, mmr }) => `Qdrant (${collection})${mmr ? diversityLabel(mmr.diversity) : ''}`,
  program: {
    named: [[/^(?:async)?qdrant/iu]],
    place: 'collection',
    reads: /\bpayload\b\W{0,3}(?:get\(\s?)?["']?(\w{1,80})/gu,
    langchain: {
      langchain: { qdrant: { textField: 'page_content' } },
      'langchain-js': { qdrant: { textField: 'content' } },
    },
  },
});
