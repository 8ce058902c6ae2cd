/** Servers with answers that the store would not give. They are reported in a sentence and yield no result. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { RemoteStore } from '../../../../src/engine/external/stores/remote-store.ts';
import { answeringRows } from '../../../fuzz/answering-postgres.ts';
import { answering } from '../../../fuzz/answering-server.ts';
import { openStore } from './support.ts';

const QUERY = { text: 'Why?' };
const ZEROS = Array.from({ length: 384 }, () => 0);
const COLLECTION = { type: 'qdrant', collection: 'places', embedder: 'hashing', idField: 'source' };

/** A store whose server gives these answers by the last part of the path. */
async function storeThat(
  t: TestContext,
  spec: object,
  answers: Readonly<Record<string, unknown>>,
): Promise<RemoteStore> {
  const url = await answering((endpoint) => JSON.stringify(answers[endpoint]));
  return openStore(t, { url, ...spec });
}

const qdrant = (t: TestContext, answers: Readonly<Record<string, unknown>>): Promise<RemoteStore> =>
  storeThat(t, COLLECTION, {
    places: { result: { config: { params: { vectors: { size: 384, distance: 'Euclid' } } } } },
    ...answers,
  });

const chroma = (t: TestContext, answers: Readonly<Record<string, unknown>>): Promise<RemoteStore> =>
  storeThat(
    t,
    { ...COLLECTION, type: 'chroma' },
    {
      places: { id: 'c', name: 'places', configuration_json: {} },
      get: { ids: ['a'], embeddings: [ZEROS], documents: ['one'], metadatas: [null] },
      ...answers,
    },
  );

const ODD = { id: 'retriever-failed', message: /gave an answer of an unexpected form\.$/ };

test('Qdrant: invalid points, a negative count, and an empty answer', async (t) => {
  await assert.rejects((await qdrant(t, { query: { result: { points: 'none' } } })).search(QUERY, 2), ODD);
  await assert.rejects(
    (await qdrant(t, { query: { result: { points: [{ id: 1, score: '0.9' }] } } })).search(QUERY, 2),
    ODD,
  );
  await assert.rejects((await qdrant(t, { scroll: { result: { points: [null] } } })).first!(2), ODD);
  await assert.rejects((await qdrant(t, { points: { result: { 1: [] } } })).vectors!.fetch(['1']), ODD);
  await assert.rejects((await qdrant(t, { count: { result: { count: -1 } } })).count(), ODD);
});

test('Qdrant: too many points, ids that are no words, and a negative distance', async (t) => {
  const points = [
    { id: 1, score: -1, payload: { text: 'one', source: { file: 'a' } } },
    { id: 2, score: 1, payload: { text: 2, source: 'b' } },
    { id: 3, score: 2, payload: null },
  ];
  const results = await (await qdrant(t, { query: { result: { points } } })).search(QUERY, 2);
  assert.deepEqual(results, [
    { key: '1', text: 'one', score: 1 },
    { key: '2', id: 'b', about: { source: 'b' }, score: 0.5 },
  ]);
});

test('Chroma: invalid columns', async (t) => {
  const found = { ids: [['a']], distances: [['near']], documents: [['one']], metadatas: [[null]] };
  await assert.rejects((await chroma(t, { query: found })).search(QUERY, 2), ODD);
  await assert.rejects((await chroma(t, { get: { ids: 'a', documents: 'b' } })).first!(2), ODD);
  await assert.rejects((await chroma(t, { get: { embeddings: [[1]] } })).vectors!.fetch(['a']), ODD);
  await assert.rejects((await chroma(t, { count: { count: 2 } })).count(), ODD);
  await assert.rejects((await chroma(t, { places: null })).count(), ODD);
  // A lone surrogate cannot be part of an address.
  await assert.rejects((await chroma(t, { places: { id: '\ud800' } })).count(), ODD);
});

test('vectors that exceed 32 bits or have no dimensions are missing', async (t) => {
  const points = [
    { id: 1, vector: [1e300, 0] },
    { id: 2, vector: [] },
    { id: 3, vector: [1, 0] },
  ];
  const fetched = await (await qdrant(t, { points: { result: points } })).vectors!.fetch(['1', '2', '3']);
  assert.deepEqual([...fetched], [['3', Float32Array.of(1, 0)]]);
});

test('PostgreSQL: an invalid vector', async (t) => {
  const port = await answeringRows((statement) =>
    statement.includes('pg_attribute')
      ? [
          { name: 'id', type: 'text', modifier: -1 },
          { name: 'embedding', type: 'vector', modifier: 384 },
        ]
      : [{ key: 'a', vector: '[1, NaN]' }],
  );
  const spec = { type: 'postgres', port, database: 'd', user: 'u', table: 't', embedder: 'hashing' };
  await assert.rejects(openStore(t, spec).vectors!.fetch(['a']), {
    id: 'retriever-failed',
    message: /answered with rows of an unexpected form\.$/,
  });
});

test('an answer that is not JSON is reported as such at once', async (t) => {
  const url = await answering(() => '<html>');
  for (const spec of [
    COLLECTION,
    { ...COLLECTION, type: 'chroma' },
    { type: 'opensearch', index: 'places' },
    { type: 'opensearch', engine: 'elasticsearch', index: 'places' },
    { type: 'weaviate', collection: 'Places', embedder: 'hashing' },
    { type: 'milvus', collection: 'places', embedder: 'hashing' },
    { type: 'pinecone', embedder: 'hashing' },
    { type: 'azure-search', index: 'places', embedder: 'hashing' },
  ])
    await assert.rejects(openStore(t, { ...spec, url }).count(), {
      id: 'retriever-failed',
      message: /^[\w ]+ at \S+ did not answer with JSON \(/,
    });
});

const RECORDS = ['a', 'b'].map((id) => ({
  id,
  text: id,
  vector: Float32Array.from({ length: 384 }, () => 0.1),
  metadata: {},
}));
const SHORT = {
  id: 'retriever-failed',
  message: /was sent 2 passages and answered for 1 of them; run it again/,
};
const REFUSED = {
  id: 'retriever-failed',
  message: /refuses the passage "b" \(400: failed to parse field \[text\]\)\.$/,
};

test('a partly refused bulk request is reported in a sentence', async (t) => {
  const spec = {
    ...{ type: 'opensearch', engine: 'elasticsearch', index: 'filled', mode: 'knn' },
    ...{ vectorField: 'embedding', embedder: 'hashing' },
  };
  const _mapping = {
    filled: { mappings: { properties: { embedding: { type: 'dense_vector', dims: 384 } } } },
  };
  const taken = { create: { _id: 'a', status: 201 } };
  const error = { reason: 'failed to parse field [text].' };
  const cases: [object, object][] = [
    [{ items: [taken] }, SHORT],
    [{ items: [taken, { create: { _id: 'b', status: 400, error } }] }, REFUSED],
    [{ items: [{ create: 'a' }] }, ODD],
  ];
  for (const [_bulk, failure] of cases) {
    const store = await storeThat(t, spec, { _mapping, _bulk });
    await assert.rejects(store.writer!.add(RECORDS), failure);
  }
});
