/**
 * Weaviate, Milvus, Pinecone and Azure AI Search by contract, because none can be installed here. Each scripted
 * server's file names the source of its contract.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startContract, type ContractServer, type Route } from '../../../fixtures/stores/contract-server.ts';
import { azureRoutes } from '../../../fixtures/stores/scripted-azure.ts';
import { ScriptedCollection } from '../../../fixtures/stores/scripted-collection.ts';
import { milvusRoutes } from '../../../fixtures/stores/scripted-milvus.ts';
import { pineconeRoutes } from '../../../fixtures/stores/scripted-pinecone.ts';
import { uuidOf, weaviateRoutes } from '../../../fixtures/stores/scripted-weaviate.ts';
import type { Loaded } from '../../../fixtures/stores/loading.ts';
import { assertAgreement, OF_A_SCRIPT } from './agreement.ts';
import { debateAbsent, embedded, openStore } from './support.ts';

interface Hosted {
  readonly name: string;
  readonly routes: (collection: ScriptedCollection, key?: string) => Route[];
  readonly spec: object;
  /** The store's key of a passage. */
  readonly keyOf: (id: string) => string;
  /** A filter for p8 and the passage that another filter names. */
  readonly filter: unknown;
  /** The name of a missing collection, and the error about it. */
  readonly elsewhere?: readonly [spec: object, said: RegExp];
  readonly refused: RegExp;
}

const same = (id: string): string => id;
const HOSTED: readonly Hosted[] = [
  {
    name: 'Weaviate',
    routes: (collection, key) => weaviateRoutes(collection, { key }),
    spec: { type: 'weaviate', collection: 'Places', embedder: 'hashing' },
    keyOf: uuidOf,
    filter: { path: ['number'], operator: 'Equal', valueInt: 8 },
    elsewhere: [{ collection: 'Nowhere' }, /has no collection "Nowhere" \(404\)/],
    refused: /refuses access \(401: anonymous access not enabled\); check the stored key/,
  },
  {
    name: 'Milvus',
    routes: (collection, key) => milvusRoutes(collection, { token: key }),
    spec: { type: 'milvus', collection: 'places', embedder: 'hashing' },
    keyOf: same,
    filter: 'number == 8',
    elsewhere: [
      { collection: 'nowhere' },
      /has no collection "nowhere" in the database "default" \(100: can't/,
    ],
    refused: /refuses access \(1800: user hasn’t authenticated\); check the stored key/,
  },
  {
    name: 'Pinecone',
    routes: (collection, key) => pineconeRoutes(collection, { key }),
    spec: { type: 'pinecone', embedder: 'hashing' },
    keyOf: same,
    filter: { number: 8 },
    refused: /refuses access \(401: Malformed domain: Unauthorized\); check the stored key/,
  },
  {
    name: 'Azure AI Search',
    routes: (collection, key) => azureRoutes(collection, { key }),
    spec: { type: 'azure-search', index: 'places', embedder: 'hashing', aboutFields: ['source', 'number'] },
    keyOf: same,
    filter: "source eq 'doc-p8'",
    elsewhere: [{ index: 'nowhere' }, /has no index "nowhere" \(404: The index 'nowhere' for service/],
    refused: /refuses access \(403\); check the stored key/,
  },
];

const TEXTS = Array.from({ length: 250 }, (_, index) => ({
  id: `p${index}`,
  text: `Passage ${index} is about ${['rivers', 'mountains', 'harbours', 'deserts', 'forests'][index % 5]} number ${index}.`,
}));
const QUERY = { text: 'harbours number 42' };
const collection = new ScriptedCollection(await embedded(TEXTS));

const started = (t: TestContext, routes: readonly Route[]): Promise<ContractServer> =>
  startContract(t, routes);

for (const { name, routes, spec, keyOf, filter, elsewhere, refused } of HOSTED) {
  test(`${name}: a search returns keys, texts, cosines and locations, best first`, async (t) => {
    const { url } = await started(t, routes(collection));
    const results = await openStore(t, { ...spec, url }).search(QUERY, 3);
    const [query] = await embedded([{ id: 'q', text: QUERY.text }]);
    const expected = collection.nearest([...query!.vector], 3);
    assert.deepEqual(
      results.map(({ key }) => key),
      expected.map(({ held }) => keyOf(held.id)),
    );
    for (const [place, { score }] of results.entries())
      assert.ok(Math.abs(score - expected[place]!.cosine) < 1e-6, `rank ${place + 1}`);
    assert.equal(results[0]!.text, 'Passage 42 is about harbours number 42.');
    assert.equal(results[0]!.about?.source, 'doc-p42');
  });

  test(`${name}: more results than fit in an answer are fetched, up to the number of records`, async (t) => {
    const { url } = await started(t, routes(collection));
    const results = await openStore(t, { ...spec, url }).search(QUERY, 1000);
    assert.equal(new Set(results.map(({ key }) => key)).size, 250);
  });

  test(`${name}: a filter is applied, and the id may be in a field`, async (t) => {
    const { url } = await started(t, routes(collection));
    const store = openStore(t, { ...spec, url, filter, idField: 'source' });
    assert.deepEqual(
      (await store.search(QUERY, 200)).map(({ key, id }) => [key, id]),
      [[keyOf('p8'), 'doc-p8']],
    );
    const found = await store.records(['doc-p8', 'doc-p7']);
    assert.deepEqual(
      found.map(({ id }) => id),
      ['doc-p8'],
    );
    assert.deepEqual(await store.records(['doc-p7']), []);
    assert.deepEqual(await store.records([]), []);
  });

  test(`${name}: the store counts, reports its health, and returns first records if it has an order`, async (t) => {
    const { url } = await started(t, routes(collection));
    const store = openStore(t, { ...spec, url });
    assert.equal(await store.count(), 250);
    const { message, count } = await store.check();
    assert.match(message, / answers; .* has 250 \w+\.$/u);
    assert.equal(count, 250);
    if (!store.first) return;
    const first = await store.first(120);
    const known = new Set<string | undefined>(TEXTS.map(({ text }) => text));
    assert.equal(new Set(first.map(({ text }) => text).filter((text) => known.has(text))).size, 120);
    assert.deepEqual(await store.first(120), first);
  });

  test(`${name}: records and vectors are fetched by id, and missing ones are omitted`, async (t) => {
    const { url } = await started(t, routes(collection));
    const store = openStore(t, { ...spec, url });
    const ids = ['p7', 'p8', 'it\'s "gone"'].map((id, index) => (index < 2 ? keyOf(id) : id));
    const records = await store.records(ids);
    assert.deepEqual(records.map(({ text }) => text).toSorted(), [TEXTS[7]!.text, TEXTS[8]!.text]);
    assert.equal(records.find(({ key }) => key === keyOf('p8'))!.about?.source, 'doc-p8');
    const vectors = await store.vectors!.fetch(ids);
    assert.deepEqual([...vectors.keys()].toSorted(), ids.slice(0, 2).toSorted());
    assert.deepEqual(vectors.get(keyOf('p8')), collection.all[8]!.vector);
    assert.equal((await store.vectors!.fetch([])).size, 0);
    // More than fit into one request.
    assert.equal((await store.records(TEXTS.map(({ id }) => keyOf(id)))).length, 250);
  });

  test(`${name}: errors are reported in a sentence`, async (t) => {
    const failure = (message: RegExp): object => ({ id: 'retriever-failed', message });
    const { url } = await started(t, routes(collection, 'secret'));
    await assert.rejects(openStore(t, { ...spec, url }).search(QUERY, 1), failure(refused));
    const withKey = { ...spec, url, key: 'own' };
    assert.equal((await openStore(t, withKey, { own: 'secret' }).search(QUERY, 1)).length, 1);
    if (elsewhere)
      await assert.rejects(
        openStore(t, { ...withKey, ...elsewhere[0] }, { own: 'secret' }).search(QUERY, 1),
        failure(elsewhere[1]),
      );
  });

  test(
    `${name} finds the same top 5 as the embedded index, plain and with PAP and MMR`,
    { skip: debateAbsent },
    (t) =>
      assertAgreement(async (passages) => {
        const { url } = await started(t, routes(new ScriptedCollection(passages)));
        // Weaviate assigns the ids of its objects.
        return { ...spec, url, ...(name === 'Weaviate' ? { idField: 'ref' } : {}) };
      }, OF_A_SCRIPT),
  );
}

const WORDS: readonly (readonly [name: string, routes: Route[], spec: object])[] = [
  ['Weaviate', weaviateRoutes(collection), { type: 'weaviate', collection: 'Places', mode: 'bm25' }],
  ['Milvus', milvusRoutes(collection), { type: 'milvus', collection: 'places', mode: 'bm25' }],
  ['Azure AI Search', azureRoutes(collection), { type: 'azure-search', index: 'places', mode: 'text' }],
];
for (const [name, routes, spec] of WORDS)
  test(`${name}: words are searched without an embedder, and together with vectors`, async (t) => {
    const { url } = await started(t, routes);
    const store = openStore(t, { ...spec, url });
    assert.equal(store.vectors, undefined);
    // A quotation mark, a backslash and a line break, as users write them.
    const [first] = await store.search({ text: 'the "42" \\ of\nharbours' }, 2);
    assert.equal(first!.text, 'Passage 42 is about harbours number 42.');
    const both = openStore(t, { ...spec, url, mode: 'hybrid', embedder: 'hashing' });
    const results = await both.search(QUERY, 5);
    assert.equal(results.length, 5);
    assert.equal(results[0]!.text, 'Passage 42 is about harbours number 42.');
  });

test('distances become descending scores', async (t) => {
  const cases: readonly (readonly [Route[], object])[] = [
    [weaviateRoutes(collection, { distance: 'l2-squared' }), { type: 'weaviate', collection: 'Places' }],
    [milvusRoutes(collection, { metric: 'L2' }), { type: 'milvus', collection: 'places' }],
    [pineconeRoutes(collection, { metric: 'euclidean' }), { type: 'pinecone' }],
  ];
  for (const [routes, spec] of cases) {
    const { url } = await started(t, routes);
    const results = await openStore(t, { ...spec, url, embedder: 'hashing' }).search(QUERY, 20);
    const scores = results.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    assert.ok(scores.every((score) => score > 0 && score <= 1));
  }
});

test('vectors of other dimensions are refused, with the embedder’s name or the store’s message', async (t) => {
  const small = new ScriptedCollection([{ id: 'a', text: 'a', vector: Float32Array.of(1, 0) } as Loaded]);
  const other = /contains vectors of 2 dimensions, and the embedder "hashing" makes 384/;
  const cases: readonly (readonly [Route[], object, RegExp])[] = [
    [
      weaviateRoutes(small),
      { type: 'weaviate', collection: 'Places' },
      /refuses: vector lengths don't match: 2 vs 384/,
    ],
    [milvusRoutes(small), { type: 'milvus', collection: 'places' }, other],
    [pineconeRoutes(small), { type: 'pinecone' }, other],
  ];
  for (const [routes, spec, message] of cases) {
    const { url } = await started(t, routes);
    await assert.rejects(openStore(t, { ...spec, url, embedder: 'hashing' }).search(QUERY, 1), { message });
  }
});

test('Weaviate: one of several vectors is named, and disabled GraphQL is reported', async (t) => {
  const spec = { type: 'weaviate', collection: 'Places', embedder: 'hashing' };
  const several = await started(t, weaviateRoutes(collection, { vectors: ['body', 'title'] }));
  await assert.rejects(openStore(t, { ...spec, url: several.url }).search(QUERY, 1), {
    message: /several vectors in each object of "Places": name one of body, title as "vector"/,
  });
  await assert.rejects(openStore(t, { ...spec, url: several.url, vector: 'head' }).search(QUERY, 1), {
    message: /has no vector "head" in the objects of "Places"; there is body, title/,
  });
  const store = openStore(t, { ...spec, url: several.url, vector: 'body', tenant: 'a "tenant"' });
  assert.equal((await store.search(QUERY, 1)).length, 1);
  assert.match(
    (several.seen.at(-1)!.body as { query: string }).query,
    /targetVectors: \["body"\].*tenant: "a \\"tenant\\""/u,
  );
  assert.equal((await store.vectors!.fetch([uuidOf('p8')])).size, 1);
  const off = await started(t, weaviateRoutes(collection, { graphQl: false }));
  await assert.rejects(openStore(t, { ...spec, url: off.url }).count(), {
    message: /has its GraphQL interface switched off .*DISABLE_GRAPHQL/,
  });
  const odd = { ...spec, url: several.url, vector: 'body', filter: { 'a b': 1 } };
  await assert.rejects(openStore(t, odd).count(), { id: 'retriever-failed' });
});

test('Milvus: numeric keys are queried as numbers, and pages end at the last record', async (t) => {
  const numbered = new ScriptedCollection(
    (await embedded(TEXTS.slice(0, 3))).map((passage, index) => ({ ...passage, id: String(index) })),
  );
  const { url, seen } = await started(t, milvusRoutes(numbered, { numbers: true }));
  const store = openStore(t, { type: 'milvus', url, collection: 'places', embedder: 'hashing', ef: 5 });
  assert.equal((await store.records(['1', 'one', '1 or true'])).length, 1);
  assert.equal((seen.at(-1)!.body as { filter: string }).filter, 'pk in [1]');
  assert.deepEqual(await store.records(['one']), []);
  await store.search(QUERY, 10);
  // The breadth of the search is at least the number of requested passages.
  assert.deepEqual((seen.at(-1)!.body as { searchParams: object }).searchParams, { params: { ef: 10 } });
});

test('Azure AI Search: results that come in parts are requested until complete, exactly if asked', async (t) => {
  const { url, seen } = await started(t, azureRoutes(collection));
  const spec = { type: 'azure-search', url, index: 'places', embedder: 'hashing' };
  await openStore(t, { ...spec, exact: true }).search(QUERY, 5);
  const { vectorQueries } = seen.at(-1)!.body as { vectorQueries: { exhaustive?: boolean; k: number }[] };
  assert.deepEqual([vectorQueries[0]!.exhaustive, vectorQueries[0]!.k], [true, 5]);
  const semantic = openStore(t, { ...spec, mode: 'text', semanticConfiguration: 'default' });
  const results = await semantic.search(QUERY, 3);
  assert.deepEqual(
    results.map(({ score }) => score),
    [1, 1 / 2, 1 / 3],
  );
  assert.equal((seen.at(-1)!.body as { queryType: string }).queryType, 'semantic');
});
