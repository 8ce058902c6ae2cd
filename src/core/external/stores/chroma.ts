/** Settings and label of Chroma. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { access, embedder, filter, url } from '../store-fields.ts';
import { declareStore } from '../store-type.ts';

const schema = z.strictObject({
  type: z.literal('chroma'),
  url: url.default('http://127.0.0.1:8000'),
  tenant: z.string().min(1).default('default_tenant'),
  database: z.string().min(1).default('default_database'),
  collection: z.string().min(1),
  embedder,
  /** Metadata field of the passage's id. Defaults to the record's own id. */
  idField: z.string().min(1).optional(),
  /** A `where` filter on metadata. */
  where: filter,
  /** Name of a stored key, sent as the x-chroma-token; command line: `<NAME>_API_KEY`. */
  ...access,
});
export type ChromaRetriever = Read<typeof schema>;

export const chroma = declareStore({
  schema,
  address: {
    usual: 'http://127.0.0.1:8000',
    prompt: () => l10n.t('Its address. A folder of Chroma answers while "chroma run --path <folder>" runs.'),
  },
  ranksByVector: () => true,
  searchesApproximately: () => true,
  place: ({ url: at, tenant, database, collection, idField }) => [at, tenant, database, collection, idField],
  label: ({ collection }) => `Chroma (${collection})`,
  program: {
    named: [[/^chroma/iu]],
    place: 'collection',
    langchain: { langchain: { chroma: {} }, 'langchain-js': { chroma: {} } },
  },
});
