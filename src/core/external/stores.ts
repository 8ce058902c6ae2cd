/**
 * Stores beyond one machine as retrievers in a pipeline: a collection is searched where it lives. No password and
 * no key stands in a pipeline; `key` is the name under which one is stored.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import { lancedbRetrieverSchema, mongodbRetrieverSchema } from './client-stores.ts';
import {
  azureRetrieverSchema,
  milvusRetrieverSchema,
  pineconeRetrieverSchema,
  weaviateRetrieverSchema,
} from './hosted-stores.ts';
import {
  access,
  connections,
  ef,
  embedder,
  filter,
  key,
  postgresUrl,
  share,
  tlsFiles,
  url,
} from './store-fields.ts';
import { timeoutMs } from './timeout.ts';

const chromaRetrieverSchema = z.strictObject({
  type: z.literal('chroma'),
  url: url.default('http://127.0.0.1:8000'),
  tenant: z.string().min(1).default('default_tenant'),
  database: z.string().min(1).default('default_database'),
  collection: z.string().min(1),
  embedder,
  /** Metadata field that holds the passage's id; the record's own id when left out. */
  idField: z.string().min(1).optional(),
  /** A `where` filter on metadata. */
  where: filter,
  /** Name of a stored key, sent as the x-chroma-token; command line: `<NAME>_API_KEY`. */
  ...access,
});

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const bound = z.union([z.string(), z.number()]).optional();
const comparison = z
  .strictObject({
    gt: bound,
    gte: bound,
    lt: bound,
    lte: bound,
    /** Any other value, or none. */
    ne: scalar.optional(),
    /** One of these. */
    in: z.array(scalar).min(1).optional(),
  })
  .refine((given) => Object.keys(given).length > 0, {
    error: () => l10n.t('is empty: say gt, gte, lt, lte, ne or in'),
  });

const POSTGRES_DISTANCES = ['cosine', 'l2', 'inner-product', 'l1'] as const;
export type PostgresDistance = (typeof POSTGRES_DISTANCES)[number];

export const postgresRetrieverSchema = z
  .strictObject({
    type: z.literal('postgres'),
    /** A connection string: `postgres://user@host:port/database?sslmode=verify-full`. What it says counts before the fields. */
    url: postgresUrl.optional(),
    /** A name, or the folder of a Unix socket. */
    host: z.string().min(1).default('127.0.0.1'),
    port: z.number().int().min(1).max(65_535).default(5432),
    database: z.string().min(1).optional(),
    user: z.string().min(1).optional(),
    /**
     * Name under which the password is stored, or a connection string that holds it; command line: `<NAME>_API_KEY`.
     * PGPASSWORD counts when left out.
     */
    key,
    /** `verify` checks the server's certificate, also where a file is named; `encrypt` does not. */
    ssl: z.enum(['off', 'encrypt', 'verify']).default('off'),
    ...tlsFiles,
    schema: z.string().min(1).default('public'),
    table: z.string().min(1),
    columns: z
      .strictObject({
        id: z.string().min(1).default('id'),
        text: z.string().min(1).default('text'),
        /** A pgvector column. */
        embedding: z.string().min(1).default('embedding'),
        /** A stored tsvector; worked out from the text when left out. */
        tsvector: z.string().min(1).optional(),
      })
      .prefault({}),
    /** `vector`: pgvector. `text`: PostgreSQL's own full text search. `bm25`: the extension pg_textsearch. */
    mode: z.enum(['vector', 'text', 'bm25']).default('vector'),
    /** Needed for `vector`; otherwise it lets rerankers use the stored vectors. */
    embedder: embedder.optional(),
    distance: z.enum(POSTGRES_DISTANCES).default('cosine'),
    /** Looks at every row, however long it takes, instead of using an approximate index. */
    exact: z.boolean().default(false),
    ef,
    /** Text search configuration. */
    language: z.string().min(1).default('english'),
    /** How the query is read in `text`. `any`: a row needs one of its words, not all. */
    query: z.enum(['websearch', 'plain', 'any']).default('websearch'),
    /** The bm25 index; the one on the text column when left out. */
    index: z.string().min(1).optional(),
    /** Column, or path into a column of JSON (`metadata->>lang`) → value that rows must have, or what holds for it. */
    where: z.record(z.string().min(1), z.union([scalar, comparison])).default({}),
    connections,
    timeoutMs,
  })
  .refine(({ mode, embedder: name }) => mode !== 'vector' || name !== undefined, {
    path: ['embedder'],
    error: () => l10n.t('is missing: mode "vector" needs the embedder that the table was filled with'),
  })
  .superRefine(({ url: address, key: stored, ...named }, context) => {
    // Either of them may say it.
    if (address !== undefined || stored !== undefined) return;
    for (const field of ['database', 'user'] as const)
      if (named[field] === undefined)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: l10n.t('is missing: say it here, or in a connection string as "url"'),
        });
  });

export const qdrantRetrieverSchema = z.strictObject({
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

const opensearchRetrieverSchema = z
  .strictObject({
    type: z.literal('opensearch'),
    /** Both speak nearly the same language. */
    engine: z.enum(['opensearch', 'elasticsearch']).default('opensearch'),
    url: url.default('http://127.0.0.1:9200'),
    index: z.string().min(1),
    /** Path of the text in the document. */
    textField: z.string().min(1).default('text'),
    /** Path of the passage's id in the document; the document's `_id` when left out. */
    idField: z.string().min(1).optional(),
    mode: z.enum(['bm25', 'knn', 'hybrid']).default('bm25'),
    /** Needed for `knn` and `hybrid`; with `bm25` both let rerankers use the stored vectors. */
    vectorField: z.string().min(1).optional(),
    embedder: embedder.optional(),
    filter,
    ef,
    /** The search pipeline that joins the two lists of an OpenSearch `hybrid`. */
    pipeline: z.string().min(1).optional(),
    /** Constant of the reciprocal rank fusion that joins them in Elasticsearch. */
    rrfK: z.number().int().min(1).default(60),
    /** The store's own MMR, in its own words. */
    mmr: z
      .strictObject({
        /** OpenSearch: 1 looks for dissimilar passages only. */
        diversity: share.optional(),
        /** Elasticsearch: 1 looks for relevant passages only. */
        lambda: share.optional(),
        candidates: z.number().int().min(1).max(10_000).default(100),
        /** Elasticsearch chooses so many and leaves them in their old order; say how many your program asks for. */
        size: z.number().int().min(1).max(10_000).default(10),
      })
      .optional(),
    /** User of basic authentication; the stored key is the password then, otherwise an API key. */
    user: z.string().min(1).optional(),
    ...access,
  })
  .superRefine((spec, context) => {
    for (const { field, message } of opensearchProblems(spec))
      context.addIssue({ code: 'custom', path: [field], message });
  });

export const storeRetrieverSchemas = [
  chromaRetrieverSchema,
  postgresRetrieverSchema,
  qdrantRetrieverSchema,
  opensearchRetrieverSchema,
  weaviateRetrieverSchema,
  milvusRetrieverSchema,
  pineconeRetrieverSchema,
  azureRetrieverSchema,
  lancedbRetrieverSchema,
  mongodbRetrieverSchema,
] as const;
export const storeRetrieverSchema = z.discriminatedUnion('type', storeRetrieverSchemas);

export type ChromaRetriever = Read<typeof chromaRetrieverSchema>;
export type PostgresRetriever = Read<typeof postgresRetrieverSchema>;
export type QdrantRetriever = Read<typeof qdrantRetrieverSchema>;
export type OpenSearchRetriever = Read<typeof opensearchRetrieverSchema>;
export type StoreRetriever = Read<typeof storeRetrieverSchema>;
/** A store that is asked for the neighbours of a vector, so that a query can be projected. */
export type VectorStoreRetriever = StoreRetriever & { readonly embedder: string };

interface Problem {
  readonly field: 'embedder' | 'vectorField' | 'mmr' | 'pipeline';
  readonly message: string;
}

type Unchecked = Pick<
  OpenSearchRetriever,
  'engine' | 'mode' | 'embedder' | 'vectorField' | 'pipeline' | 'mmr'
>;

function opensearchProblems(spec: Unchecked): Problem[] {
  const { engine, mode, embedder: name, vectorField, pipeline } = spec;
  const problems: Problem[] = [];
  if (mode !== 'bm25' && vectorField === undefined)
    problems.push({
      field: 'vectorField',
      message: l10n.t`is missing: mode "${mode}" searches a vector field`,
    });
  if (mode !== 'bm25' && name === undefined)
    problems.push({
      field: 'embedder',
      message: l10n.t`is missing: mode "${mode}" needs the embedder that the index was filled with`,
    });
  if (engine === 'opensearch' && mode === 'hybrid' && pipeline === undefined)
    problems.push({
      field: 'pipeline',
      message: l10n.t(
        'is missing: OpenSearch needs a search pipeline that joins the lists of a hybrid query',
      ),
    });
  return [...problems, ...mmrProblems(spec)];
}

function mmrProblems({ engine, mode, mmr }: Unchecked): Problem[] {
  if (!mmr) return [];
  const problem = (message: string): Problem[] => [{ field: 'mmr', message }];
  if (mode !== 'knn') return problem(l10n.t('needs mode "knn": the store compares vectors'));
  if (engine === 'opensearch')
    return mmr.diversity === undefined || mmr.lambda !== undefined
      ? problem(
          l10n.t('takes "diversity" in OpenSearch (1 looks for dissimilar passages only), not "lambda"'),
        )
      : [];
  return mmr.lambda === undefined || mmr.diversity !== undefined
    ? problem(l10n.t('takes "lambda" in Elasticsearch (1 looks for relevant passages only), not "diversity"'))
    : [];
}
