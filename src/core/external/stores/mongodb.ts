/** Settings and label of MongoDB. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import {
  connections,
  embedder,
  EMBEDDER_MISSING,
  filter,
  key,
  mongoUrl,
  needsEmbedder,
  tlsFiles,
} from '../store-fields.ts';
import { declareStore, modeLabel } from '../store-type.ts';
import { timeoutMs } from '../timeout.ts';

/** The driver's default address. */
export const MONGO_HERE = 'mongodb://127.0.0.1:27017';

/** A field of documents, or the path of a nested one: `metadata.source`. */
const mongoField = z.string().regex(/^[^\s$.\0][^\s.\0]*(?:\.[^\s$.\0][^\s.\0]*)*$/u, {
  error: () => l10n.t('has to be the name of a field, or a path such as metadata.source'),
});

const schema = z
  .strictObject({
    type: z.literal('mongodb'),
    /** A connection string without a password: `mongodb+srv://reader@cluster0.example.mongodb.net`. */
    url: mongoUrl.optional(),
    /** Name of the stored password, or of a stored connection string with it; command line: `<NAME>_API_KEY`. */
    key,
    ...tlsFiles,
    database: z.string().min(1),
    collection: z.string().min(1),
    /** Folder of a project with MongoDB's driver, `mongodb`, relative to `parallax.json`. */
    client: z.string().min(1).default('.'),
    /** Name of the vector search index. */
    index: z.string().min(1).default('vector_index'),
    /** Name of the search index for words in `text` and `hybrid`. */
    searchIndex: z.string().min(1).default('default'),
    vectorField: mongoField.default('embedding'),
    textField: mongoField.default('text'),
    /** Field of the passage's id. */
    idField: mongoField.default('_id'),
    mode: z.enum(['vector', 'text', 'hybrid']).default('vector'),
    /** Required for `vector` and `hybrid`. Otherwise it allows rerankers to use the stored vectors. */
    embedder: embedder.optional(),
    /** A condition in MongoDB's query language, as Extended JSON. The vector search index must include its fields. */
    filter,
    /** Scans every vector instead of using the approximate index. */
    exact: z.boolean().default(false),
    /**
     * The number of neighbours that the approximate search considers. Defaults to twenty times the requested ones, and
     * is never less than those.
     */
    numCandidates: z.number().int().min(1).max(10_000).optional(),
    connections,
    timeoutMs,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING);
export type MongoRetriever = Read<typeof schema>;

export const mongodb = declareStore({
  schema,
  address: {
    usual: 'mongodb+srv://',
    prompt: () =>
      l10n.t(
        'The connection string. One with a password is kept in the editor\'s secret storage. It is used by MongoDB\'s driver, which "npm install mongodb" puts beside parallax.json.',
      ),
    connection: /^mongodb(?:\+srv)?:\/\//u,
  },
  ranksByVector: ({ mode }) => mode === 'vector',
  searchesApproximately: ({ mode, exact }) => mode !== 'text' && !exact,
  place: ({ url: at, key: stored, database, collection, idField }) => [
    // The stored value may contain the server's address.
    at ?? stored,
    database,
    collection,
    idField,
  ],
  label: ({ mode, collection }) => `MongoDB${modeLabel(mode)} (${collection})`,
});
