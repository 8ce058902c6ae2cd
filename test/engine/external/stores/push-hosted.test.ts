/**
 * A corpus in files is written into Weaviate, Milvus, Pinecone and Azure AI Search by contract: none of them can be
 * installed here. What each scripted server is held against stands at its head.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import { startContract, type ContractServer, type Route } from '../../../fixtures/stores/contract-server.ts';
import { azureRoutes } from '../../../fixtures/stores/scripted-azure.ts';
import { ScriptedCollection, type Filling } from '../../../fixtures/stores/scripted-collection.ts';
import { milvusRoutes } from '../../../fixtures/stores/scripted-milvus.ts';
import { pineconeRoutes } from '../../../fixtures/stores/scripted-pinecone.ts';
import { weaviateRoutes } from '../../../fixtures/stores/scripted-weaviate.ts';
import { passageUuid } from '../../../../src/engine/external/stores/writers/passage-uuid.ts';
import { portionsOf } from '../../../../src/engine/external/stores/writers/dialect-writer.ts';
import { records, testWorkspace } from '../../../fixtures/workspace.ts';
import { assertAgrees, assertFills, COUNT, DOCS, workspace } from './filling.ts';
import { debateAbsent, debateLines, openStore, storeSpec } from './support.ts';

interface Hosted {
  readonly name: string;
  readonly spec: object;
  readonly routes: (collection: ScriptedCollection, absent: boolean) => Route[];
  /** What the store calls the passage p0, and what it holds beside its text. */
  readonly key: string;
  readonly fields: Record<string, unknown>;
  /** What it says of a passage that it does not take, and of vectors of other dimensions. */
  readonly refuses: RegExp;
  readonly otherDimensions: RegExp;
}

const UUID = passageUuid('p0');
const WHOLE = JSON.stringify({ source: 'p0' });
const HOSTED: readonly Hosted[] = [
  {
    name: 'Weaviate',
    spec: { type: 'weaviate', collection: 'Places', embedder: 'hashing', idField: 'ref' },
    routes: (collection, absent) => weaviateRoutes(collection, { absent }),
    key: UUID,
    fields: { ref: 'p0', metadata: WHOLE },
    refuses: /refuses the passage "p7" \(invalid text property\)/,
    otherDimensions: /refuses the passage "p0" \(new node has a vector with length 384/,
  },
  {
    name: 'Milvus',
    spec: { type: 'milvus', collection: 'places', embedder: 'hashing' },
    routes: (collection, absent) => milvusRoutes(collection, { absent }),
    key: 'p0',
    fields: { id: 'p0', metadata: { source: 'p0' } },
    refuses: /refuses \(1100: the length of text exceeds max length\)/,
    otherDimensions: /holds vectors of 2 dimensions, and the embedder "hashing" makes 384/,
  },
  {
    name: 'Pinecone',
    spec: { type: 'pinecone', embedder: 'hashing', namespace: 'mine' },
    // It has to be there.
    routes: (collection) => pineconeRoutes(collection, { namespace: 'mine' }),
    key: 'p0',
    fields: { source: 'p0' },
    refuses: /answered 400: Metadata size is 51200 bytes, which exceeds the limit of 40960 bytes per vector/,
    otherDimensions: /holds vectors of 2 dimensions, and the embedder "hashing" makes 384/,
  },
  {
    name: 'Azure AI Search',
    spec: {
      ...{ type: 'azure-search', index: 'places', embedder: 'hashing' },
      ...{ idField: 'ref', aboutFields: ['source', 'metadata'] },
    },
    routes: (collection, absent) => azureRoutes(collection, { absent }),
    key: UUID,
    fields: { ref: 'p0', source: 'p0', metadata: WHOLE },
    refuses: /refuses the passage "p7" \(400: A term is too large\)/,
    otherDimensions: /refuses the passage "p0" \(400: The vector has other dimensions\)/,
  },
];

const DIMENSIONS = 384;
const anything = z.unknown();

async function started(
  t: TestContext,
  { routes, spec }: Hosted,
  filling: Filling = {},
  { absent = true, dimensions = DIMENSIONS } = {},
): Promise<{ collection: ScriptedCollection; store: object; server: ContractServer }> {
  const collection = new ScriptedCollection([], filling, dimensions);
  const server = await startContract(t, routes(collection, absent));
  return { collection, server, store: { ...spec, url: server.url } };
}

for (const hosted of HOSTED) {
  const { name, key, fields, refuses, otherDimensions } = hosted;
  const isMade = name !== 'Pinecone';

  test(`${name} answers as the index does, as far as its API description tells`, async (t) => {
    // Too much to do for one request, or for more than searches are made again; what is added shows a moment later.
    const busy = name === 'Pinecone' ? 3 : 1;
    const { collection, store } = await started(t, hosted, { busy, showsAfterMs: 20 });
    await assertFills(t, store, isMade);
    const [first] = collection.all;
    assert.equal(first!.id, key);
    assert.match(first!.text, /^Passage 0 is about rivers/);
    const { text, content, ...others } = first!.fields;
    void [text, content];
    assert.deepEqual(others, fields);
  });

  test(`${name}: what stands there stays, and what is missing comes to it`, async (t) => {
    const { collection, store } = await started(t, hosted);
    const opened = await workspace(t, store);
    const task = { corpus: 'docs', store: storeSpec(store), create: true };
    await opened.request('push', task);
    const [first, second] = collection.all.splice(0, 2);
    collection.put({ ...first!, text: 'Another text.', fields: { ...first!.fields, text: 'Another text.' } });
    assert.deepEqual(await opened.request('push', task), { added: 1, held: COUNT - 1, differing: 1 });
    assert.equal(collection.all.find(({ id }) => id === first!.id)!.text, 'Another text.');
    assert.equal(collection.all.find(({ id }) => id === second!.id)!.text, second!.text);
  });

  test(`${name}: a passage that is refused is told, and the others of its batch can be added later`, async (t) => {
    const { collection, store } = await started(t, hosted, { refuses: 'p7' });
    const opened = await workspace(t, store);
    const task = { corpus: 'docs', store: storeSpec(store), create: true };
    await assert.rejects(opened.request('push', task), { id: 'retriever-failed', message: refuses });
    assert.ok(collection.all.length < 128, `${collection.all.length} were added`);
  });

  test(`${name}: what is taken and not shown is told`, async (t) => {
    const { store } = await started(t, hosted, { showsAfterMs: 1_000_000 });
    const opened = await workspace(t, store);
    const task = { corpus: 'docs', store: storeSpec({ ...store, timeoutMs: 1_000 }), create: true };
    await assert.rejects(opened.request('push', task), {
      id: 'retriever-failed',
      message: /took 128 passages and does not show 128 of them, among them "p0"; run it again/,
    });
  });

  test(`${name}: vectors of other dimensions are refused`, async (t) => {
    const { collection, store } = await started(t, hosted, {}, { absent: false, dimensions: 2 });
    const opened = await workspace(t, store);
    const task = { corpus: 'docs', store: storeSpec(store), create: false };
    await assert.rejects(opened.request('push', task), { message: otherDimensions });
    assert.equal(collection.all.length, 0);
  });

  test(
    `${name} finds the same top 5 on the debate data once it is filled`,
    { skip: debateAbsent },
    async (t) => {
      const { store } = await started(t, hosted);
      const lines = debateLines('corpus.jsonl').map(({ _id, text }) => [_id, text] as const);
      const opened = await testWorkspace(t, {
        files: { 'corpus.jsonl': records(Object.fromEntries(lines)) },
        corpora: { docs: DOCS, there: { store: storeSpec(store) } },
        unindexed: ['there'],
        approximateAbove: 1_000_000,
      });
      const task = { corpus: 'docs', store: storeSpec(store), create: true };
      assert.equal((await opened.request('push', task)).added, lines.length);
      const queries = debateLines('queries.jsonl').map(({ text }) => text);
      await assertAgrees(opened, store, queries.slice(0, 20), 5);
    },
  );
}

test('keys that are not free are UUIDs made of the ids where a field holds these', async (t) => {
  const [weaviate, , pinecone, azure] = HOSTED;
  const odd = 'my notes/häfen.md';
  const cases: readonly (readonly [Hosted, RegExp])[] = [
    [weaviate!, /takes UUIDs alone as ids, which "plain" is not: name a property as "idField"/],
    [
      pinecone!,
      /takes up to 512 ASCII characters without spaces as ids, which "my notes.* name a field of the/,
    ],
    [azure!, /takes letters, digits, _, - and = alone in keys, and "my notes.* name a field as "idField"/],
  ];
  for (const [hosted, message] of cases) {
    const { collection, store } = await started(t, hosted);
    const opened = await testWorkspace(t, {
      files: { 'corpus.jsonl': records({ plain: 'A text.', [odd]: 'Another one.' }) },
      corpora: { docs: DOCS },
    });
    const push = (spec: object) =>
      opened.request('push', { corpus: 'docs', store: storeSpec(spec), create: true });
    await assert.rejects(push({ ...store, idField: undefined }), { message });
    assert.equal(collection.all.length, 0);
    assert.equal((await push({ ...store, idField: 'ref' })).added, 2);
    const held = collection.all.find(({ id }) => id === passageUuid(odd));
    assert.equal(held?.fields['ref'], odd);
    assert.equal((await push({ ...store, idField: 'ref' })).held, 2);
  }
});

test('ids that are UUIDs are keys as they are', async (t) => {
  const { collection, store } = await started(t, HOSTED[0]!);
  const spec = storeSpec({ ...store, idField: undefined });
  const opened = await testWorkspace(t, {
    files: { 'corpus.jsonl': records({ [UUID]: 'A text.' }) },
    corpora: { docs: DOCS },
  });
  const push = () => opened.request('push', { corpus: 'docs', store: spec, create: true });
  assert.deepEqual(await push(), { added: 1, held: 0, differing: 0 });
  assert.equal(collection.all[0]!.id, UUID);
  assert.deepEqual(await push(), { added: 0, held: 1, differing: 0 });
});

test('Pinecone: an index is not made, and it is said how it is', async (t) => {
  const { url } = await startContract(t, pineconeRoutes(new ScriptedCollection([]), { absent: true }));
  const store = { type: 'pinecone', url, embedder: 'hashing' };
  const opened = await workspace(t, store);
  for (const create of [true, false])
    await assert.rejects(opened.request('push', { corpus: 'docs', store: storeSpec(store), create }), {
      message: /is no index, and Parallax makes none in Pinecone: make it there, for the metric cosine/,
    });
});

test('Pinecone: no request is larger than it takes', async (t) => {
  const { collection, store, server } = await started(t, HOSTED[2]!);
  const opened = await testWorkspace(t, {
    files: {
      'corpus.jsonl': records(
        Object.fromEntries(
          Array.from({ length: 100 }, (_, at) => [`p${at}`, `${at} ${'word '.repeat(7_000)}`]),
        ),
      ),
    },
    corpora: { docs: DOCS },
  });
  const pushed = await opened.request('push', { corpus: 'docs', store: storeSpec(store), create: false });
  assert.deepEqual([pushed.added, collection.all.length], [100, 100]);
  const upserts = server.seen.filter(({ url }) => url.pathname === '/vectors/upsert');
  assert.ok(upserts.length > 1, 'it went in one');
});

test('portions keep both limits and the order, and what is too large goes alone', () => {
  const items = [1, 2, 3, 4, 5].map((at) => ({ at, text: at === 3 ? 'x'.repeat(100) : '' }));
  const portions = (recordsEach: number, bytes: number): number[][] =>
    portionsOf(items, { records: recordsEach, bytes }).map((portion) => portion.map(({ at }) => at));
  assert.deepEqual(portions(2, 1000), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(portions(1000, 60), [[1, 2], [3], [4, 5]]);
  assert.deepEqual(portions(1000, 1000), [[1, 2, 3, 4, 5]]);
});

test('Weaviate: a tenant and a named vector are made and filled', async (t) => {
  const [weaviate] = HOSTED;
  const { collection, store, server } = await started(t, weaviate!);
  const spec = { ...store, tenant: 'one "two"', vector: 'body' };
  const opened = await workspace(t, spec);
  const push = () => opened.request('push', { corpus: 'docs', store: storeSpec(spec), create: true });
  assert.equal((await push()).added, COUNT);
  assert.equal(collection.all.length, COUNT);
  const sent = server.seen.find(({ url }) => url.pathname === '/v1/batch/objects')!.body as {
    objects: { tenant: string; vectors: Record<string, number[]> }[];
  };
  assert.equal(sent.objects[0]!.tenant, 'one "two"');
  assert.deepEqual(Object.keys(sent.objects[0]!.vectors), ['body']);
  const small = storeSpec({ ...store, collection: 'places' });
  await assert.rejects(opened.request('push', { corpus: 'docs', store: small, create: true }), {
    message: /begins the names of collections with a capital letter: write "places" with one/,
  });
});

test('Weaviate: nothing is added to the properties of a collection that is there', async (t) => {
  const { collection, store } = await started(t, HOSTED[0]!, {}, { absent: false });
  const opened = await workspace(t, store);
  const push = (spec: object) =>
    opened.request('push', { corpus: 'docs', store: storeSpec(spec), create: false });
  assert.equal((await push(store)).added, COUNT);
  const [first] = collection.all;
  assert.deepEqual(Object.keys(first!.fields).toSorted(), ['ref', 'source', 'text']);
  await assert.rejects(push({ ...store, idField: 'number' }), {
    message: /has no property "number" of texts in the collection "Places"/,
  });
});

test('Milvus: keys that it makes itself, or that are numbers, are not filled with words', async (t) => {
  const cases = [
    [{ makesKeys: true }, /makes the keys of "places" itself, so that a passage that is sent twice/],
    [{ numbers: true }, /has numbers as the keys of "places", which "p0" is not: name a collection whose/],
  ] as const;
  for (const [settings, message] of cases) {
    const collection = new ScriptedCollection([], {}, DIMENSIONS);
    const { url } = await startContract(t, milvusRoutes(collection, settings));
    const store = { type: 'milvus', url, collection: 'places', embedder: 'hashing' };
    const opened = await workspace(t, store);
    await assert.rejects(opened.request('push', { corpus: 'docs', store: storeSpec(store), create: false }), {
      message,
    });
  }
});

test('Milvus: keys that are numbers are filled with ids that are', async (t) => {
  const collection = new ScriptedCollection([], {}, DIMENSIONS);
  const { url, seen } = await startContract(t, milvusRoutes(collection, { numbers: true }));
  const store = { type: 'milvus', url, collection: 'places', embedder: 'hashing' };
  const opened = await testWorkspace(t, {
    files: { 'corpus.jsonl': records({ '7': 'A text.', '8': 'Another one.' }) },
    corpora: { docs: DOCS },
  });
  const pushed = await opened.request('push', { corpus: 'docs', store: storeSpec(store), create: false });
  assert.equal(pushed.added, 2);
  const sent = seen.find(({ url: { pathname } }) => pathname.endsWith('/upsert'))!.body as {
    data: { pk: number; source: string }[];
  };
  assert.deepEqual(
    sent.data.map(({ pk, source }) => [pk, source]),
    [
      [7, '7'],
      [8, '8'],
    ],
  );
});

test('Milvus: a collection for words is made with what they are searched by, and partitions are left to others', async (t) => {
  const { store, server } = await started(t, HOSTED[1]!);
  const hybrid = { ...store, mode: 'hybrid' };
  const opened = await workspace(t, hybrid);
  await opened.request('push', { corpus: 'docs', store: storeSpec(hybrid), create: true });
  const { schema, indexParams } = server.seen.find(({ url }) => url.pathname.endsWith('/create'))!.body as {
    schema: { functions: { inputFieldNames: string[]; outputFieldNames: string[] }[] };
    indexParams: { fieldName: string; metricType: string }[];
  };
  assert.deepEqual(
    schema.functions.map(({ inputFieldNames, outputFieldNames }) => [inputFieldNames, outputFieldNames]),
    [[['text'], ['sparse']]],
  );
  assert.deepEqual(
    indexParams.map(({ fieldName, metricType }) => [fieldName, metricType]),
    [
      ['vector', 'COSINE'],
      ['sparse', 'BM25'],
    ],
  );
  const absent = await started(t, HOSTED[1]!);
  const push = (spec: object, create: boolean) =>
    opened.request('push', { corpus: 'docs', store: storeSpec(spec), create });
  await assert.rejects(push({ ...absent.store, partitions: ['a'] }, true), {
    message: /gets no partitions made by Parallax/,
  });
  const made = await started(t, HOSTED[1]!, {}, { absent: false });
  await assert.rejects(push({ ...made.store, partitions: ['a', 'b'] }, false), {
    message: /name several partitions: name the one/,
  });
  await push({ ...made.store, partitions: ['a'] }, false);
  const sent = made.server.seen.findLast(({ url }) => url.pathname.endsWith('/upsert'))!.body;
  assert.equal((sent as { partitionName: string }).partitionName, 'a');
});

test('Azure AI Search: an index for its own ranking is made with it', async (t) => {
  const { store, server } = await started(t, HOSTED[3]!);
  const own = { mode: 'hybrid', semanticConfiguration: 'best', metric: 'dotProduct' };
  // Fields that nobody asks for are not made, and not filled.
  const ranked = { ...store, ...own, aboutFields: ['source'] };
  const opened = await workspace(t, ranked);
  await opened.request('push', { corpus: 'docs', store: storeSpec(ranked), create: true });
  const { semantic, vectorSearch } = server.seen.find(({ url }) => url.pathname === '/indexes')!.body as {
    semantic: { configurations: { name: string }[] };
    vectorSearch: { algorithms: { hnswParameters: object }[] };
  };
  assert.equal(semantic.configurations[0]!.name, 'best');
  assert.deepEqual(vectorSearch.algorithms[0]!.hnswParameters, { metric: 'dotProduct' });
});

test('an answer of another form is said to be one', async (t) => {
  const odd = (path: RegExp, body: unknown): Route => ({
    ...{ method: 'POST', path, parameters: anything, body: anything },
    answer: () => ({ body }),
  });
  const cases: readonly (readonly [Hosted, Route])[] = [
    [HOSTED[0]!, odd(/^\/v1\/batch\/objects$/, { objects: [] })],
    [HOSTED[1]!, odd(/\/entities\/upsert$/, { data: [] })],
    [HOSTED[3]!, odd(/\/docs\/search\.index$/, { value: [{ key: 1 }] })],
  ];
  for (const [{ routes, spec }, route] of cases) {
    const collection = new ScriptedCollection([], {}, DIMENSIONS);
    const { url } = await startContract(t, [route, ...routes(collection, true)]);
    const store = { ...spec, url };
    const opened = await workspace(t, store);
    await assert.rejects(opened.request('push', { corpus: 'docs', store: storeSpec(store), create: true }), {
      id: 'retriever-failed',
      message: /gave an answer of an unexpected form/,
    });
  }
});

test('a store that names no embedder is not filled', (t) => {
  const store = openStore(t, { type: 'weaviate', collection: 'Places', mode: 'bm25' });
  assert.equal(store.writer, undefined);
});
