/** Settings and label of Pinecone. */
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { access, embedder, filter, url } from '../store-fields.ts';
import { declareStore } from '../store-type.ts';

const schema = z.strictObject({
  type: z.literal('pinecone'),
  /** The host of the index. */
  url,
  namespace: z.string().optional(),
  /** Metadata field of the text. */
  textField: z.string().min(1).default('text'),
  /** Metadata field of the passage's id. Defaults to the record's own id. */
  idField: z.string().min(1).optional(),
  embedder,
  filter,
  ...access,
});
export type PineconeRetriever = Read<typeof schema>;

export const pinecone = declareStore({
  schema,
  address: { usual: 'https://', sample: 'https://index' },
  ranksByVector: () => true,
  searchesApproximately: () => true,
  place: ({ url: at, namespace, idField }) => [at, namespace ?? '', idField],
  label: ({ url: at, namespace = '' }) =>
    `Pinecone (${new URL(at).hostname.split('.')[0]}${namespace === '' ? '' : `/${namespace}`})`,
  program: {
    named: [[/^pinecone/iu]],
    place: undefined,
    reads: /\bmetadata\b\W{0,3}(?:get\(\s?)?["']?(\w{1,80})/gu,
    langchain: {
      langchain: { pinecone: { textField: 'text' } },
      'langchain-js': { pinecone: { textField: 'text' } },
    },
  },
});
