/** MongoDB: what a pipeline can say of it, and what it is called. */
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

/** Where the driver looks for a server of this machine. */
export const MONGO_HERE = 'mongodb://127.0.0.1:27017';

/** A field of documents, or a path to one in another: `metadata.source`. */
const mongoField = z.string().regex(/^[^\s$.\0][^\s.\0]*(?:\.[^\s$.\0][^\s.\0]*)*$/u, {
  error: () => l10n.t('has to be the name of a field, or a path such as metadata.source'),
});

const schema = z
  .strictObject({
    type: z.literal('mongodb'),
    /** A connection string without a password: `mongodb+srv://reader@cluster0.example.mongodb.net`. */
    url: mongoUrl.optional(),
    /** Name under which the password is stored, or a connection string that holds it; command line: `<NAME>_API_KEY`. */
    key,
    ...tlsFiles,
    database: z.string().min(1),
    collection: z.string().min(1),
    /** Folder of a project that has MongoDB's driver, `mongodb`, relative to `parallax.json`. */
    client: z.string().min(1).default('.'),
    /** Name of the vector search index. */
    index: z.string().min(1).default('vector_index'),
    /** Name of the search index that `text` and `hybrid` look for words in. */
    searchIndex: z.string().min(1).default('default'),
    vectorField: mongoField.default('embedding'),
    textField: mongoField.default('text'),
    /** Field that holds the passage's id. */
    idField: mongoField.default('_id'),
    mode: z.enum(['vector', 'text', 'hybrid']).default('vector'),
    /** Needed for `vector` and `hybrid`; otherwise it lets rerankers use the stored vectors. */
    embedder: embedder.optional(),
    /** A condition of MongoDB's query language, as Extended JSON; the vector search index has to hold its fields. */
    filter,
    /** Looks at every vector, however long it takes, instead of using the approximate index. */
    exact: z.boolean().default(false),
    /** How many neighbours the approximate search looks at; twenty times as many as are asked for when left out, never fewer than those. */
    numCandidates: z.number().int().min(1).max(10_000).optional(),
    connections,
    timeoutMs,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING);
export type MongoRetriever = Read<typeof schema>;

export const mongodb = declareStore({
  schema,
  usualAddress: 'mongodb+srv://',
  ranksByVector: ({ mode }) => mode === 'vector',
  searchesApproximately: ({ mode, exact }) => mode !== 'text' && !exact,
  place: ({ url: at, key: stored, database, collection, idField }) => [
    // Which server it is may stand in what is stored.
    at ?? stored,
    database,
    collection,
    idField,
  ],
  label: ({ mode, collection }) => `MongoDB${modeLabel(mode)} (${collection})`,
});
