/** Settings and label of Azure AI Search. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import {
  access,
  columnName,
  embedder,
  EMBEDDER_MISSING,
  filterText,
  needsEmbedder,
  url,
} from '../store-fields.ts';
import { declareStore, modeLabel } from '../store-type.ts';

export const AZURE_METRICS = ['cosine', 'euclidean', 'dotProduct'] as const;

const schema = z
  .strictObject({
    type: z.literal('azure-search'),
    /** URL of the search service. */
    url,
    index: z.string().regex(/^[a-z\d][a-z\d-]{0,127}$/u, {
      error: () => l10n.t('has to be the name of an index: small letters, digits and dashes'),
    }),
    /** The key field of the index. */
    keyField: columnName.default('id'),
    textField: columnName.default('content'),
    /** Field of the passage's id. Defaults to the key. */
    idField: columnName.optional(),
    /** Fields that describe the source of a text, e.g. `title` and `url`. */
    aboutFields: z.array(columnName).max(20).default([]),
    vectorField: columnName.default('contentVector'),
    /** The metric of the vector field, which determines how scores are converted to similarities. */
    metric: z.enum(AZURE_METRICS).default('cosine'),
    mode: z.enum(['vector', 'text', 'hybrid']).default('vector'),
    /** Required for `vector` and `hybrid`. Otherwise it allows rerankers to use the stored vectors. */
    embedder: embedder.optional(),
    /** Has the service rerank by its language model, in `text` and `hybrid`. */
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
export type AzureRetriever = Read<typeof schema>;

export const azureSearch = declareStore({
  schema,
  address: { usual: 'https://' },
  ranksByVector: ({ mode }) => mode === 'vector',
  searchesApproximately: ({ mode, exact }) => mode !== 'text' && !exact,
  place: ({ url: at, index, keyField, idField }) => [at, index, keyField, idField],
  label: ({ mode, index, semanticConfiguration }) =>
    `Azure AI Search${modeLabel(mode)}${semanticConfiguration === undefined ? '' : ' + semantic ranking'} (${index})`,
});
