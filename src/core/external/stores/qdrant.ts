/** Settings and label of Qdrant. */
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { access, ef, embedder, filter, share, url } from '../store-fields.ts';
import { declareStore, diversityLabel } from '../store-type.ts';

const schema = z.strictObject({
  type: z.literal('qdrant'),
  url: url.default('http://127.0.0.1:6333'),
  collection: z.string().min(1),
  /** Name of the vector, if points have several. */
  vector: z.string().min(1).optional(),
  embedder,
  /** Path of the text in the payload, e.g. `page_content`. */
  textField: z.string().min(1).default('text'),
  /** Path of the passage's id in the payload. Defaults to the point's own id. */
  idField: z.string().min(1).optional(),
  filter,
  exact: z.boolean().default(false),
  ef,
  /** Qdrant's own MMR, with its own parameters: `diversity` 1 only considers dissimilarity. */
  mmr: z
    .strictObject({
      diversity: share.default(0.5),
      /** The number of candidates to select from. If no more than requested, MMR only reorders. */
      candidates: z.number().int().min(1).max(10_000).default(100),
    })
    .optional(),
  /** Name of a stored API key; command line: `<NAME>_API_KEY`. */
  ...access,
});
export type QdrantRetriever = Read<typeof schema>;

export const qdrant = declareStore({
  schema,
  address: { usual: 'http://127.0.0.1:6333' },
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
