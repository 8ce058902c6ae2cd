/** Settings and label of PostgreSQL. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { connections, ef, embedder, key, postgresUrl, tlsFiles } from '../store-fields.ts';
import { declareStore } from '../store-type.ts';
import { timeoutMs } from '../timeout.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const bound = z.union([z.string(), z.number()]).optional();
const comparison = z
  .strictObject({
    gt: bound,
    gte: bound,
    lt: bound,
    lte: bound,
    /** Any other value, or null. */
    ne: scalar.optional(),
    /** One of these. */
    in: z.array(scalar).min(1).optional(),
  })
  .refine((bounds) => Object.keys(bounds).length > 0, {
    error: () => l10n.t('is empty: say gt, gte, lt, lte, ne or in'),
  });

/** The values of `sslmode` in PostgreSQL's own programs. */
export const POSTGRES_SSL_MODES = [
  'disable',
  'allow',
  'prefer',
  'require',
  'no-verify',
  'verify-ca',
  'verify-full',
] as const;

const POSTGRES_DISTANCES = ['cosine', 'l2', 'inner-product', 'l1'] as const;
export type PostgresDistance = (typeof POSTGRES_DISTANCES)[number];

const schema = z
  .strictObject({
    type: z.literal('postgres'),
    /**
     * A connection string: `postgres://user@host:port/database?sslmode=verify-full`. Takes precedence over the fields.
     */
    url: postgresUrl.optional(),
    /** A name, or the folder of a Unix socket. */
    host: z.string().min(1).default('127.0.0.1'),
    port: z.number().int().min(1).max(65_535).default(5432),
    database: z.string().min(1).optional(),
    user: z.string().min(1).optional(),
    /**
     * Name of the stored password, or of a stored connection string with it; command line: `<NAME>_API_KEY`. Defaults
     * to PGPASSWORD.
     */
    key,
    /**
     * `verify` checks the server's certificate and implies encryption. `encrypt` does not check it. PostgreSQL's own
     * values are accepted too.
     */
    ssl: z.enum(['off', 'encrypt', 'verify', ...POSTGRES_SSL_MODES]).default('off'),
    ...tlsFiles,
    schema: z.string().min(1).default('public'),
    table: z.string().min(1),
    columns: z
      .strictObject({
        id: z.string().min(1).default('id'),
        text: z.string().min(1).default('text'),
        /** A pgvector column. */
        embedding: z.string().min(1).default('embedding'),
        /** A stored tsvector. Defaults to computing it from the text. */
        tsvector: z.string().min(1).optional(),
      })
      .prefault({}),
    /** `vector`: pgvector. `text`: PostgreSQL's own full text search. `bm25`: the extension pg_textsearch. */
    mode: z.enum(['vector', 'text', 'bm25']).default('vector'),
    /** Required for `vector`. Otherwise it allows rerankers to use the stored vectors. */
    embedder: embedder.optional(),
    distance: z.enum(POSTGRES_DISTANCES).default('cosine'),
    /** Scans every row instead of using an approximate index. */
    exact: z.boolean().default(false),
    ef,
    /** Text search configuration. */
    language: z.string().min(1).default('english'),
    /** How `text` parses the query. `any`: a row needs one of its words instead of all. */
    query: z.enum(['websearch', 'plain', 'any']).default('websearch'),
    /** The bm25 index. Defaults to the one on the text column. */
    index: z.string().min(1).optional(),
    /** Column, or path into a JSON column (`metadata->>lang`) → required value or comparison. */
    where: z.record(z.string().min(1), z.union([scalar, comparison])).default({}),
    connections,
    timeoutMs,
  })
  .refine(({ mode, embedder: name }) => mode !== 'vector' || name !== undefined, {
    path: ['embedder'],
    error: () => l10n.t('is missing: mode "vector" needs the embedder that filled the table'),
  })
  .superRefine(({ url: address, key: stored, ...named }, context) => {
    // Either of them may contain these.
    if (address !== undefined || stored !== undefined) return;
    for (const field of ['database', 'user'] as const)
      if (named[field] === undefined)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: l10n.t('is missing: say it here, or in a connection string as "url"'),
        });
  });
export type PostgresRetriever = Read<typeof schema>;

export const postgres = declareStore({
  schema,
  address: {
    usual: 'postgres://',
    prompt: () =>
      l10n.t("The connection string. One with a password is kept in the editor's secret storage."),
    // Python libraries add the driver.
    connection: /^postgres(?:ql)?(?:\+\w{1,20})?:\/\//u,
    sample: 'postgres://a@b/c',
  },
  ranksByVector: ({ mode }) => mode === 'vector',
  searchesApproximately: ({ mode, exact }) => mode === 'vector' && !exact,
  place: ({ url: at, key: stored, host, port, database, schema, table, columns }) => [
    at,
    // The stored value may contain the database's name.
    database === undefined ? stored : undefined,
    host,
    port,
    database,
    schema,
    table,
    columns.id,
  ],
  label: ({ mode, table }) => `${POSTGRES_MODES[mode]} (${table})`,
});

const POSTGRES_MODES = {
  vector: 'pgvector',
  text: 'PostgreSQL full text',
  bm25: 'PostgreSQL BM25',
} as const;
