/** Settings and label of LanceDB. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { mayHoldSecret } from '../../text/address-secrets.ts';
import {
  columnName,
  connections,
  ef,
  embedder,
  EMBEDDER_MISSING,
  filterText,
  key,
  needsEmbedder,
  url,
} from '../store-fields.ts';
import { declareStore, modeLabel } from '../store-type.ts';
import { timeoutMs } from '../timeout.ts';

const LANCE_DISTANCES = ['l2', 'cosine', 'dot'] as const;
export type LanceDistance = (typeof LANCE_DISTANCES)[number];

/** Whether the URI is a local folder. */
export const isLanceFolder = (uri: string): boolean => !/^[a-z][\w+.-]+:\/\//iu.test(uri);

/** LanceDB's name for the row number, which changes when a table is compacted. */
export const LANCE_ROW = '_rowid';

const schema = z
  .strictObject({
    type: z.literal('lancedb'),
    /** A folder, relative to `parallax.json`, or another LanceDB URI: `s3://bucket/path`, `db://name` for its cloud. */
    uri: z
      .string()
      .min(1)
      .refine((text) => isLanceFolder(text) || !mayHoldSecret(text), {
        error: () => l10n.t('contains a password, or what may be one: store it as the key that "key" names'),
      }),
    table: z.string().min(1),
    /** Folder of a project with LanceDB's client, `@lancedb/lancedb`, relative to `parallax.json`. */
    client: z.string().min(1).default('.'),
    /** Region of LanceDB Cloud. */
    region: z.string().min(1).optional(),
    /** Address of LanceDB Enterprise. */
    host: url.optional(),
    vectorField: columnName.default('vector'),
    textField: columnName.default('text'),
    /** Column of the passage's id. `_rowid` for tables without one: LanceDB's own row number. */
    idField: columnName.default('id'),
    mode: z.enum(['vector', 'bm25', 'hybrid']).default('vector'),
    /** Required for `vector` and `hybrid`. Otherwise it allows rerankers to use the stored vectors. */
    embedder: embedder.optional(),
    /** Defaults to the distance of the vector index, and to `l2` without an index. */
    distance: z.enum(LANCE_DISTANCES).optional(),
    /** Constant of the reciprocal rank fusion of the two lists of `hybrid`. */
    rrfK: z.number().int().min(1).default(60),
    /** An SQL condition. */
    filter: filterText,
    /** Scans every row instead of using an approximate index. */
    exact: z.boolean().default(false),
    /** The number of partitions of an IVF index to search. */
    nprobes: z.number().int().min(1).max(100_000).optional(),
    /** Compares this many times the requested rows again by their full vectors. */
    refineFactor: z.number().int().min(1).max(1000).optional(),
    ef,
    key,
    connections,
    timeoutMs,
  })
  .refine(needsEmbedder, EMBEDDER_MISSING);
export type LanceRetriever = Read<typeof schema>;

export const lancedb = declareStore({
  schema,
  address: {
    usual: '',
    field: 'uri',
    prompt: () =>
      l10n.t(
        'The folder of the database. It is read by the client of LanceDB, which "npm install @lancedb/lancedb" puts beside parallax.json.',
      ),
    isFolder: isLanceFolder,
    sample: '-',
  },
  ranksByVector: ({ mode }) => mode === 'vector',
  searchesApproximately: ({ mode, exact }) => mode !== 'bm25' && !exact,
  place: ({ uri, region, host, table, idField }) => [uri, region, host, table, idField],
  label: ({ mode, table }) => `LanceDB${modeLabel(mode)} (${table})`,
  program: {
    named: [[/^lance/iu]],
    place: 'table',
    modes: { vectors: {}, words: { mode: 'bm25' } },
    reads:
      /(?:\b(?:row|r|hit|result|doc|record|d|item|x|match)\b\W{0,3}(?:get\(\s?)?|\bselect\(\s?\[[^\]]{0,200}?)["']?\b(\w{1,80})/gu,
    distances: /\b(?:metric|distance_type|distanceType|metricType)\(\s?["'`](l2|cosine|dot)["'`]/giu,
    address: /\bconnect(?:_async)?\(\s?["'`]([^"'`\s]{1,300})["'`]/gu,
    langchain: { langchain: { lancedb: {} } },
  },
});
