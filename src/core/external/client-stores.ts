/** LanceDB and MongoDB, which are asked through their makers' own clients: what a pipeline can say of them. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import { mayHoldSecret } from '../text/address-secrets.ts';
import {
  columnName,
  connections,
  ef,
  embedder,
  EMBEDDER_MISSING,
  filter,
  filterText,
  key,
  mongoUrl,
  needsEmbedder,
  tlsFiles,
  url,
} from './store-fields.ts';
import { timeoutMs } from './timeout.ts';

const LANCE_DISTANCES = ['l2', 'cosine', 'dot'] as const;
export type LanceDistance = (typeof LANCE_DISTANCES)[number];

/** Whether LanceDB is to read a folder of this machine. */
export const isLanceFolder = (uri: string): boolean => !/^[a-z][\w+.-]+:\/\//iu.test(uri);

/** The name that LanceDB gives the number of a row, which changes when a table is made compact. */
export const LANCE_ROW = '_rowid';

export const lancedbRetrieverSchema = z
  .strictObject({
    type: z.literal('lancedb'),
    /** A folder, relative to `parallax.json`, or what else LanceDB connects to: `s3://bucket/path`, `db://name` for its cloud. */
    uri: z
      .string()
      .min(1)
      .refine((text) => isLanceFolder(text) || !mayHoldSecret(text), {
        error: () => l10n.t('holds a password, or what may be one: store it as the key that "key" names'),
      }),
    table: z.string().min(1),
    /** Folder of a project that has LanceDB's client, `@lancedb/lancedb`, relative to `parallax.json`. */
    client: z.string().min(1).default('.'),
    /** Of LanceDB Cloud. */
    region: z.string().min(1).optional(),
    /** Address of LanceDB Enterprise. */
    host: url.optional(),
    vectorField: columnName.default('vector'),
    textField: columnName.default('text'),
    /** Column that holds the passage's id. Where a table has none, `_rowid`: LanceDB's own number of the row. */
    idField: columnName.default('id'),
    mode: z.enum(['vector', 'bm25', 'hybrid']).default('vector'),
    /** Needed for `vector` and `hybrid`; otherwise it lets rerankers use the stored vectors. */
    embedder: embedder.optional(),
    /** That of the index on the vectors, and `l2` where there is none, when left out. */
    distance: z.enum(LANCE_DISTANCES).optional(),
    /** Constant of the reciprocal rank fusion that joins the two lists of `hybrid`. */
    rrfK: z.number().int().min(1).default(60),
    /** A condition of SQL. */
    filter: filterText,
    /** Looks at every row, however long it takes, instead of using an approximate index. */
    exact: z.boolean().default(false),
    /** How many parts of an IVF index are looked at. */
    nprobes: z.number().int().min(1).max(100_000).optional(),
    /** How many times as many rows as are asked for are compared again by their whole vectors. */
    refineFactor: z.number().int().min(1).max(1000).optional(),
    ef,
    key,
    connections,
    timeoutMs,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING);

/** Where the driver looks for a server of this machine. */
export const MONGO_HERE = 'mongodb://127.0.0.1:27017';

/** A field of documents, or a path to one in another: `metadata.source`. */
const mongoField = z.string().regex(/^[^\s$.\0][^\s.\0]*(?:\.[^\s$.\0][^\s.\0]*)*$/u, {
  error: () => l10n.t('has to be the name of a field, or a path such as metadata.source'),
});

export const mongodbRetrieverSchema = z
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

export type MongoRetriever = Read<typeof mongodbRetrieverSchema>;
export type LanceRetriever = Read<typeof lancedbRetrieverSchema>;
