/**
 * The same pipeline on the embedded index and on real servers. Both search exactly: `search: "exact"` here; in
 * PostgreSQL a table without an index on its vectors, which pgvector compares row by row; and in Chroma, which has no
 * exact mode, a search list (`ef_search`) as long as the collection.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Engine } from '../../../../src/engine/engine.ts';
import { ExternalRetrievers } from '../../../../src/engine/external/external-retrievers.ts';
import { loadChroma, loadPostgres, type Loaded } from '../../../fixtures/stores/loading.ts';
import { orReason, startChroma, startPostgres } from '../../../fixtures/stores/real-servers.ts';
import { assertAgreement, onStore, top } from './agreement.ts';
import { context, debateAbsent, embedded, openEngine, storeSpec } from './support.ts';

const chroma = await orReason(startChroma);
const postgres = await orReason(startPostgres);
after(async () => {
  await chroma.server?.stop();
  await postgres.server?.stop();
});

const STORES = [
  {
    name: 'Chroma',
    skip: chroma.skip,
    load: (collection: string, passages: readonly Loaded[]): Promise<unknown> =>
      loadChroma(chroma.server!.port, collection, passages),
    spec: (collection: string): object => ({
      type: 'chroma',
      url: `http://127.0.0.1:${chroma.server?.port}`,
      collection,
      embedder: 'hashing',
    }),
  },
  {
    name: 'PostgreSQL',
    skip: postgres.skip,
    load: (table: string, passages: readonly Loaded[]): Promise<unknown> =>
      loadPostgres(postgres.server!.port, table, passages),
    spec: (table: string): object => ({
      type: 'postgres',
      port: postgres.server?.port,
      database: 'postgres',
      user: 'postgres',
      table,
      columns: { text: 'te"xt' },
      embedder: 'hashing',
      exact: true,
    }),
  },
];

for (const { name, skip, load, spec } of STORES)
  test(
    `${name} finds the same top 5 as the embedded index, plain and with PAP and MMR`,
    { skip: debateAbsent || skip },
    () =>
      assertAgreement(async (passages) => {
        await load('debate', passages);
        return spec('debate');
      }),
  );

const FRUIT = [
  { id: 'apple', text: 'Red apples are sweet.' },
  { id: 'pear', text: 'Sweet red pears.' },
  { id: 'train', text: 'Trains carry red sweets.' },
];

for (const { name, skip, load, spec } of STORES) {
  test(`MMR compares the vectors of ${name}`, { skip }, async (t) => {
    const engine = await openEngine(t, FRUIT);
    const [apple, pear, train] = await embedded(FRUIT);
    const rest = { rerank: [{ type: 'mmr', lambda: 0.3, embedder: 'hashing' }], k: 3 } as const;
    const order = async (collection: string): Promise<string[]> =>
      (await top(engine, onStore(spec(collection), rest), { text: 'red apples are sweet' })).map(
        ({ id }) => id,
      );
    await load('honest', [apple!, pear!, train!]);
    assert.deepEqual(await order('honest'), ['apple', 'train', 'pear']);
    // In this store trains and apples are almost the same, unlike their texts.
    const turned = apple!.vector.map((value, index) => value + 0.2 * train!.vector[index]!);
    await load('odd', [apple!, pear!, { ...train!, vector: turned }]);
    assert.deepEqual(await order('odd'), ['apple', 'pear', 'train']);
  });

  test(`the engine checks ${name} and reports why it cannot be asked`, { skip }, async (t) => {
    const engine = await openEngine(t, FRUIT);
    await load('checked', await embedded(FRUIT));
    const check = (collection: string): ReturnType<Engine['checkRetriever']> =>
      engine.checkRetriever({ retriever: storeSpec(spec(collection)) }, context);
    const well = await check('checked');
    assert.equal(well.ok, true);
    assert.equal(well.count, 3);
    const missing = await check('missing');
    assert.equal(missing.ok, false);
    assert.match(missing.message, /has no (collection|table)/);
  });
}

test('no store is contacted in an untrusted workspace', async (t) => {
  let contacts = 0;
  const server = createServer(() => contacts++).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const untrusted = new ExternalRetrievers({ base: '.', trusted: false, keys: {} }, () =>
    Promise.reject(new Error('nobody needs an embedder')),
  );
  for (const spec of [
    { type: 'chroma', url, collection: 'c', embedder: 'hashing' },
    { type: 'postgres', port, database: 'd', user: 'u', table: 't', embedder: 'hashing' },
    { type: 'qdrant', url, collection: 'c', embedder: 'hashing' },
    { type: 'opensearch', url, index: 'i' },
    { type: 'weaviate', url, collection: 'C', embedder: 'hashing' },
    { type: 'milvus', url, collection: 'c', embedder: 'hashing' },
    { type: 'pinecone', url, embedder: 'hashing' },
    { type: 'azure-search', url, index: 'i', embedder: 'hashing' },
    { type: 'lancedb', uri: 'db://d', host: url, table: 't', embedder: 'hashing', client: process.cwd() },
    {
      ...{ type: 'mongodb', url: `mongodb://127.0.0.1:${port}`, database: 'd', collection: 'c' },
      ...{ embedder: 'hashing', client: process.cwd() },
    },
  ].map(storeSpec)) {
    await assert.rejects(untrusted.search(spec, { text: 'q' }, 1, undefined), { id: 'untrusted' });
    assert.equal((await untrusted.check(spec, undefined)).ok, false);
    assert.throws(() => untrusted.store(spec), { id: 'untrusted' });
  }
  assert.equal(contacts, 0);
});
