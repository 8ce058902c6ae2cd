/**
 * Answers of custom retrievers, vector stores and search providers, from a test server or command that returns each
 * input.
 */
import assert from 'node:assert/strict';
import {
  commandRetrieverSchema,
  httpRetrieverSchema,
  type ExternalResult,
} from '../../src/core/external/spec.ts';
import { storeRetrieverSchema } from '../../src/core/external/stores.ts';
import { searchSettingsSchema, SEARCH_PROVIDERS } from '../../src/features/web-corpus/core/search.ts';
import { Embedders } from '../../src/engine/embedders/embedders.ts';
import { createCommandRetriever } from '../../src/engine/external/command-retriever.ts';
import { ExternalRetrievers } from '../../src/engine/external/external-retrievers.ts';
import { createHttpRetriever } from '../../src/engine/external/http-retriever.ts';
import type {
  RemoteStore,
  StoredRecord,
  VectorsByKey,
} from '../../src/engine/external/stores/remote-store.ts';
import { SearchClient } from '../../src/features/web-corpus/engine/search-client.ts';
import { embedderSchema } from '../../src/shared/config.ts';
import { QuickTiming } from '../engine/judges/support.ts';
import { answeringRows } from './answering-postgres.ts';
import { answering, partsAt } from './answering-server.ts';
import { takes, type FuzzedBytes } from './fuzzed-bytes.ts';
import { CUT } from './inputs.ts';
import { SEARCH_ANSWERS } from './parsers.ts';

const QUERY = { text: 'Q?' };
const K = 2;

/** Checks everything that readers of the results rely on. */
function checkResults(results: readonly ExternalResult[]): void {
  assert.ok(results.length <= K, `${results.length} results`);
  for (const { score, ...record } of results) {
    assert.ok(Number.isFinite(score), `score ${score}`);
    checkRecord(record);
  }
}

function checkRecord({ key, id, text }: Omit<ExternalResult, 'score'>): void {
  for (const word of [key, id, text]) assert.ok(word === undefined || typeof word === 'string', String(word));
  assert.doesNotMatch(id ?? '', /^\[object /u);
}

const RESULTS = [{ id: 1, text: 'one', score: 0.5 }, { text: 'two' }];

const endpoint: FuzzedBytes = {
  name: 'answer of a retriever over HTTP',
  examples: [JSON.stringify({ results: RESULTS })],
  cost: 2,
  survives: (text) =>
    takes(async () => {
      const url = await answering(() => text);
      const retriever = createHttpRetriever(httpRetrieverSchema.parse({ type: 'http', url }), undefined);
      checkResults(await retriever.search(QUERY, K));
    }),
};

/** Prints each question unchanged, with the id that its answer needs, then an answer for any question left. */
const PRINTS = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, query } = JSON.parse(line);
    const last = JSON.stringify({ id, error: 'none of it was an answer' });
    process.stdout.write(query.replaceAll('<id>', id) + '\\n' + last + '\\n');
  });
`;
const printing = createCommandRetriever(
  commandRetrieverSchema.parse({ type: 'command', command: [process.execPath, '-e', PRINTS] }),
  '.',
);

const command: FuzzedBytes = {
  name: 'lines that a command prints',
  examples: [
    `${JSON.stringify({ id: '<id>', results: RESULTS })}`,
    `Loading…\n{"id": "<id>", "results": []}`,
  ],
  cost: 2,
  survives: (text) => takes(async () => checkResults(await printing.search({ text }, K))),
  close: () => printing.close(),
};

const EMBEDDERS = { hashing: embedderSchema.parse({ type: 'hashing', dimensions: 8 }) };
const embedders = new Embedders({ embedders: EMBEDDERS, keys: {}, base: '.' });
const VECTOR = [1, 0, 0, 0, 0.5, 0, 0, 0];
const INSTANCE = { collection: 'places', embedder: 'hashing', idField: 'source' };

const WEAVIATE_ID = '5c56c793-69f3-4fbf-87e6-c4bf54c28c26';

/** A store's answers by the last part of their path. */
interface StoreAnswers {
  readonly name: string;
  readonly spec: object;
  readonly answers: Readonly<Record<string, unknown>>;
}

const STORES: readonly StoreAnswers[] = [
  {
    name: 'answers of Chroma',
    spec: { type: 'chroma', ...INSTANCE },
    answers: {
      places: { id: 'c', name: 'places', configuration_json: { hnsw: { space: 'l2' } }, metadata: null },
      query: {
        ids: [['a', 'b']],
        distances: [[0.1, 0.2]],
        documents: [['one', null]],
        metadatas: [[{ source: 'doc-1' }, null]],
      },
      get: {
        ids: ['a', 'b'],
        documents: ['one', null],
        metadatas: [{ source: 1 }, null],
        embeddings: [VECTOR, VECTOR],
      },
      count: 2,
    },
  },
  {
    name: 'answers of Qdrant',
    spec: { type: 'qdrant', ...INSTANCE },
    answers: {
      places: { result: { config: { params: { vectors: { size: 8, distance: 'Euclid' } } } } },
      query: {
        result: {
          points: [
            { id: 1, score: 0.9, payload: { text: 'one', source: 'doc-1' } },
            { id: '5c56c793-69f3-4fbf-87e6-c4bf54c28c26', score: 0.1, payload: null },
          ],
        },
      },
      points: { result: [{ id: 1, vector: VECTOR }] },
      scroll: { result: { points: [{ id: 1, payload: { text: 'one' } }], next_page_offset: 7 } },
      count: { result: { count: 2 } },
    },
  },
  ...(['opensearch', 'elasticsearch'] as const).map((engine): StoreAnswers => ({
    name: `answers of ${engine}`,
    spec: {
      type: 'opensearch',
      engine,
      index: 'places',
      mode: 'knn',
      vectorField: 'vector',
      embedder: 'hashing',
      idField: 'source',
    },
    answers: {
      _mapping: { places: { mappings: { properties: { vector: { type: 'knn_vector', dimension: 8 } } } } },
      _search: {
        hits: {
          hits: [
            { _id: 'a', _score: 0.9, _source: { text: 'one', source: 'doc-1', vector: VECTOR } },
            { _id: 'b', _score: null, _source: {}, fields: { vector: VECTOR } },
          ],
        },
      },
      _count: { count: 2 },
    },
  })),
  {
    name: 'answers of Weaviate',
    spec: { type: 'weaviate', collection: 'Places', embedder: 'hashing', idField: 'source' },
    answers: {
      Places: {
        class: 'Places',
        properties: [
          { name: 'text', dataType: ['text'] },
          { name: 'source', dataType: ['text'] },
        ],
        vectorIndexConfig: { distance: 'l2-squared' },
      },
      graphql: {
        data: {
          Get: {
            Places: [
              {
                text: 'one',
                source: 'doc-1',
                _additional: { id: WEAVIATE_ID, distance: 0.1, vector: VECTOR },
              },
              { text: null, _additional: { id: 'b', distance: 0.2, score: '0.5' } },
            ],
          },
          Aggregate: { Places: [{ meta: { count: 2 } }] },
        },
      },
    },
  },
  {
    name: 'answers of Milvus',
    spec: { type: 'milvus', ...INSTANCE },
    answers: {
      describe: {
        code: 0,
        data: {
          fields: [
            { name: 'pk', type: 'VarChar', primaryKey: true },
            { name: 'vector', type: 'FloatVector', params: [{ key: 'dim', value: '8' }] },
          ],
          indexes: [{ fieldName: 'vector', metricType: 'L2' }],
          enableDynamicField: true,
        },
      },
      search: {
        code: 0,
        data: [
          { pk: 'a', text: 'one', source: 'doc-1', distance: 0.1 },
          { pk: 7, text: null, distance: 0.2 },
        ],
      },
      query: { code: 200, data: [{ pk: 'a', text: 'one', vector: VECTOR, 'count(*)': 2 }] },
    },
  },
  {
    name: 'answers of Pinecone',
    spec: { type: 'pinecone', embedder: 'hashing', idField: 'source' },
    answers: {
      describe_index_stats: {
        namespaces: { '': { vectorCount: 2 } },
        dimension: 8,
        metric: 'euclidean',
      },
      query: {
        matches: [
          { id: 'a', score: 0.1, metadata: { text: 'one', source: 'doc-1' } },
          { id: 'b', score: 0.2, metadata: null },
        ],
      },
      fetch: { vectors: { a: { id: 'a', values: VECTOR, metadata: { text: 'one' } } } },
      list: { vectors: [{ id: 'a' }], pagination: { next: 'more' } },
    },
  },
  {
    name: 'answers of Azure AI Search',
    spec: { type: 'azure-search', index: 'places', embedder: 'hashing', idField: 'source' },
    answers: {
      'search.post.search': {
        '@odata.count': 2,
        value: [
          { '@search.score': 0.9, id: 'a', content: 'one', source: 'doc-1' },
          { '@search.score': 0.4, id: 'b', content: null },
        ],
      },
      "docs('a')": { id: 'a', content: 'one', contentVector: VECTOR },
    },
  },
];

const stores = STORES.map(({ name, spec, answers }): FuzzedBytes => ({
  name,
  examples: [exampleOf(answers)],
  cost: 3,
  survives: async (text) => {
    const url = await answering(partsAt(Object.keys(answers), text));
    return usable({ ...spec, url });
  },
}));

/** By the data that the statement requests. */
const STATEMENTS = {
  pg_attribute: [
    { name: 'id', type: 'text', modifier: -1 },
    { name: 'embedding', type: 'vector', modifier: 8 },
  ],
  'AS distance': [
    { key: 'a', text: 'one', about: { title: 'One' }, distance: 0.1 },
    { key: 'b', text: null, about: {}, distance: 'NaN' },
  ],
  'AS vector': [{ key: 'a', vector: JSON.stringify(VECTOR) }],
  set_config: [{ set_config: '' }],
  pg_extension: [{ version: '0.8.1' }],
  'count(*)': [{ count: 2 }],
  'AS text': [{ key: 'a', text: 'one', about: {} }],
};

const postgres: FuzzedBytes = {
  name: 'answers of PostgreSQL',
  examples: [exampleOf(STATEMENTS)],
  cost: 3,
  survives: async (text) => {
    const parts = text.split(CUT);
    const port = await answeringRows((statement) => {
      const asked = Object.keys(STATEMENTS).findIndex((part) => statement.includes(part));
      return listOrText(parts[asked] ?? '');
    });
    const table = { type: 'postgres', database: 'd', user: 'u', table: 'places', distance: 'l2' };
    return usable({ ...table, embedder: 'hashing', port });
  },
};

function listOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function exampleOf(answers: Readonly<Record<string, unknown>>): string {
  return Object.values(answers)
    .map((answer) => JSON.stringify(answer))
    .join(CUT);
}

/** Whether every request to a store had a usable answer. */
async function usable(spec: object): Promise<boolean> {
  const external = new ExternalRetrievers({ base: '.', trusted: true, keys: {} }, (name) =>
    embedders.get(name),
  );
  const store = external.store(storeRetrieverSchema.parse(spec));
  try {
    let all = true;
    for (const ask of QUESTIONS) all = (await takes(() => inWordsOfTheStore(ask(store)))) && all;
    return all;
  } finally {
    await external.dispose();
  }
}

const QUESTIONS: readonly ((store: RemoteStore) => Promise<void>)[] = [
  async (store) => checkResults(await store.search(QUERY, K)),
  async (store) => checkRecords(await (store.first?.(K) ?? store.records(['a', '1', WEAVIATE_ID]))),
  async (store) => checkVectors(await store.vectors!.fetch(['a', '1', WEAVIATE_ID])),
  async (store) => checkCount(await store.count()),
];

/** The store was reached, so an error must not describe the program. */
async function inWordsOfTheStore(asked: Promise<void>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof Error && !(error instanceof assert.AssertionError))
      assert.doesNotMatch(error.message, /reached|Cannot read prop|is not (?:a function|iterable|defined)/u);
    throw error;
  }
}

function checkRecords(records: readonly StoredRecord[]): void {
  records.forEach(checkRecord);
}

function checkVectors(vectors: VectorsByKey): void {
  for (const vector of vectors.values())
    assert.ok(vector.length > 0 && vector.every(Number.isFinite), `[${vector.join(', ')}]`);
}

function checkCount(count: number): void {
  assert.ok(Number.isSafeInteger(count) && count >= 0, `count ${count}`);
}

const searches = SEARCH_PROVIDERS.map((provider): FuzzedBytes => ({
  name: `search by ${provider}`,
  examples: [SEARCH_ANSWERS[provider][0]!],
  cost: 2,
  survives: (text) =>
    takes(async () => {
      const baseUrl = await answering(() => text);
      const settings = searchSettingsSchema.parse({ provider, baseUrl, results: 30 });
      const client = new SearchClient({ settings, apiKey: 'key', timing: new QuickTiming() });
      const hits = await client.search('Q?', undefined);
      assert.equal(new Set(hits.map(({ url }) => url)).size, hits.length);
      for (const { url, title } of hits) assert.ok(typeof url === 'string' && typeof title === 'string');
    }),
}));

export const RETRIEVER_PARSERS: readonly FuzzedBytes[] = [
  ...[endpoint, command],
  ...stores,
  postgres,
  ...searches,
];
