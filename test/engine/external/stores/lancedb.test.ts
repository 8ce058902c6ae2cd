/** Against LanceDB itself, read by a project's client: here, by this project's. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { connect, Index } from '@lancedb/lancedb';
import { storeLabel } from '../../../../src/core/external/store-types.ts';
import { ExternalRetrievers } from '../../../../src/engine/external/external-retrievers.ts';
import type { LanceQuestions } from '../../../../src/engine/external/stores/lancedb/messages.ts';
import { StoreClient } from '../../../../src/engine/external/stores/own-client/store-client.ts';
import { loadLance } from '../../../fixtures/stores/loading.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { assertAgreement } from './agreement.ts';
import {
  assertComesByIds,
  assertFindsBest,
  assertKeepsFilter,
  assertWaitsForTrust,
  expected,
  ids,
  passages,
  projectWith,
  QUERY,
  TEXTS,
} from './own-client.ts';
import { debateAbsent, embedded, openStore, storeSpec } from './support.ts';

const folder = temporaryFolder({ after });
await loadLance(folder, 'places', passages);

const spec = (extra: object = {}): object => ({
  ...{ type: 'lancedb', uri: folder, table: 'places', client: process.cwd() },
  ...{ embedder: 'hashing', distance: 'cosine', ...extra },
});

test('a search returns ids, texts, cosines and locations, best first', async (t) => {
  const store = openStore(t, spec());
  await assertFindsBest(store);
  const [best] = await store.search(QUERY, 1);
  assert.deepEqual(best!.about!.fields, { even: 'true', number: '42', page: '42', source: 'doc-p42' });
});

test('distances of every kind become descending scores', async (t) => {
  for (const distance of ['l2', 'dot', undefined]) {
    const results = await openStore(t, spec({ distance })).search(QUERY, 10);
    assert.equal(results[0]!.id, 'p42');
    const scores = results.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    assert.ok(scores.every((score) => score > 0 && score <= 1.000001));
  }
});

test('a zero vector and a row without a vector do no harm', async (t) => {
  const own = temporaryFolder(t);
  const zeros = { id: 'zeros', text: 'nothing', vector: new Float32Array(384) };
  await loadLance(own, 'zeros', [...passages.slice(40, 44), zeros]);
  const table = await (await connect(own)).openTable('zeros');
  await table.add([{ id: 'none', text: 'no vector' }]);
  const store = openStore(t, spec({ uri: own, table: 'zeros' }));
  const results = await store.search(QUERY, 10);
  assert.equal(results[0]!.id, 'p42');
  assert.deepEqual(ids(results).toSorted(), ['p40', 'p41', 'p42', 'p43']);
  assert.deepEqual([...(await store.vectors!.fetch(['none', 'p42'])).keys()], ['p42']);
});

test('scores use the distance of the index, which can be bypassed', async (t) => {
  const own = temporaryFolder(t);
  await loadLance(
    own,
    'indexed',
    await embedded([...TEXTS, ...TEXTS.map(({ id, text }) => ({ id: `${id}b`, text }))]),
  );
  const table = await (await connect(own)).openTable('indexed');
  const config = Index.ivfFlat({ distanceType: 'cosine', numPartitions: 20 });
  await table.createIndex('vector', { config });
  const indexed = { uri: own, table: 'indexed', distance: undefined };
  const [best] = await openStore(t, spec(indexed)).search(QUERY, 1);
  assert.ok(Math.abs(best!.score - (await expected(QUERY.text, 1))[0]!.score) < 1e-6);
  const narrow = await openStore(t, spec({ ...indexed, nprobes: 1 })).search(QUERY, 500);
  assert.ok(narrow.length < 500, `one part of twenty held ${narrow.length}`);
  const exact = await openStore(t, spec({ ...indexed, nprobes: 1, exact: true, distance: 'cosine' })).search(
    QUERY,
    500,
  );
  assert.equal(exact.length, 500);
});

test('words are searched by full text search, alone and together with vectors', async (t) => {
  const own = temporaryFolder(t);
  await loadLance(own, 'words', passages);
  const table = await (await connect(own)).openTable('words');
  const words = spec({ uri: own, table: 'words', mode: 'bm25', embedder: undefined });
  await assert.rejects(openStore(t, words).search(QUERY, 3), {
    id: 'retriever-failed',
    message:
      /has no full text index on the column "text" of the table "words"; make one: createIndex\("text"/,
  });
  await table.createIndex('text', { config: Index.fts() });
  const byWords = await openStore(t, words).search({ text: 'harbours' }, 100);
  assert.equal(byWords.length, 50);
  assert.ok(byWords.every(({ text, score }) => text!.includes('harbours') && score > 0));
  const both = await openStore(t, spec({ uri: own, table: 'words', mode: 'hybrid' })).search(QUERY, 5);
  assert.equal(both[0]!.id, 'p42');
  assert.ok(Math.abs(both[0]!.score - 2 / 61) < 2e-3, String(both[0]!.score));
});

test('a word index from before there were rows is reported as outdated', async (t) => {
  const own = temporaryFolder(t);
  await loadLance(own, 'early', passages.slice(0, 5));
  const table = await (await connect(own)).openTable('early');
  await table.delete('true');
  await table.createIndex('text', { config: Index.fts() });
  const early = openStore(t, spec({ uri: own, table: 'early', mode: 'bm25' }));
  assert.deepEqual(await early.search(QUERY, 3), []);
  const late = openStore(t, spec({ uri: own, table: 'early', mode: 'bm25' }));
  await table.add([{ id: 'a', text: 'harbours', vector: [...passages[0]!.vector] }]);
  await assert.rejects(late.search(QUERY, 3), {
    message: /without any of its rows yet; .* table\.optimize\(\)\.$/,
  });
  await table.optimize();
  assert.deepEqual(ids(await late.search(QUERY, 3)), ['a']);
});

test('a filter is applied to every request', async (t) => {
  const store = openStore(t, spec({ filter: "even = true AND metadata.source <> 'doc-p42'" }));
  await assertKeepsFilter(store);
});

test('the store counts, reports its health, and returns first records', async (t) => {
  const store = openStore(t, spec());
  assert.deepEqual(await store.check(), {
    message: `LanceDB in ${folder} answers; the table "places" has 250 rows.`,
    count: 250,
  });
  assert.deepEqual(ids(await store.first!(100)), ids(TEXTS.slice(0, 100)));
});

test('records and vectors are fetched by id, and missing ones are omitted', async (t) => {
  await assertComesByIds(openStore(t, spec()));
});

test('ids may be numbers, and rows without an id get one', async (t) => {
  const numbered = openStore(t, spec({ idField: 'number' }));
  assert.deepEqual(ids(await numbered.records(['7', '008', 'seven'])), ['7']);
  const rows = openStore(t, spec({ idField: '_rowid' }));
  const [best] = await rows.search(QUERY, 1);
  assert.equal(best!.text, TEXTS[42]!.text);
  const [again] = await rows.records([best!.id!]);
  assert.equal(again!.text, TEXTS[42]!.text);
  assert.deepEqual([...(await rows.vectors!.fetch([best!.key!])).values()], [passages[42]!.vector]);
});

test('writes of another process are visible at once', async (t) => {
  const own = temporaryFolder(t);
  await loadLance(own, 'growing', passages.slice(0, 3));
  const store = openStore(t, spec({ uri: own, table: 'growing' }));
  assert.equal(await store.count(), 3);
  const table = await (await connect(own)).openTable('growing');
  await table.delete("id = 'p1'");
  assert.equal(await store.count(), 2);
});

test('errors are reported in a sentence', async (t) => {
  const failure = (message: RegExp): object => ({ id: 'retriever-failed', message });
  await assert.rejects(
    openStore(t, spec({ table: 'nowhere' })).count(),
    failure(/ has no table "nowhere"\.$/),
  );
  const absent = path.join(folder, 'absent');
  await assert.rejects(
    openStore(t, spec({ uri: absent })).count(),
    failure(/ is not there: there is no such folder\.$/),
  );
  assert.equal(existsSync(absent), false);
  await assert.rejects(
    openStore(t, spec({ filter: 'huh = 1' })).search(QUERY, 1),
    failure(/ refuses: .*No field named huh[^/]*\.$/),
  );
  await assert.rejects(
    openStore(t, spec({ idField: 'key' })).search(QUERY, 1),
    failure(/has no column "key".*"_rowid"/),
  );
  await assert.rejects(
    openStore(t, spec({ textField: 'body' })).search(QUERY, 1),
    failure(/has no column "body".*"textField"/),
  );
  const own = temporaryFolder(t);
  await loadLance(own, 'small', [{ id: 'a', text: 'a', vector: new Float32Array(8).fill(1) }]);
  await assert.rejects(
    openStore(t, spec({ uri: own, table: 'small' })).search(QUERY, 1),
    failure(/contains vectors of 8 dimensions, and the embedder "hashing" makes 384/),
  );
});

test('a missing client is reported with its installation, a broken one with its error', async (t) => {
  const client = temporaryFolder(t);
  await assert.rejects(openStore(t, spec({ client })).count(), {
    id: 'retriever-failed',
    message:
      /run "npm install @lancedb\/lancedb" there, or name the folder of a project that has it as "client"\.$/,
  });
  const place = path.join(client, 'node_modules/@lancedb/lancedb');
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, 'package.json'), '{"main": "index.js"}');
  writeFileSync(path.join(place, 'index.js'), 'require("apache-arrow/vector")');
  await assert.rejects(openStore(t, spec({ client })).count(), {
    message: /needs the package apache-arrow\. .* does not have it: run "npm install apache-arrow" there\.$/,
  });
  for (const [program, said] of [
    ['throw new Error("its native part is missing")', 'its native part is missing'],
    ['require("./native.node")', "Cannot find module './native.node'"],
  ] as const) {
    writeFileSync(path.join(place, 'index.js'), program);
    await assert.rejects(openStore(t, spec({ client })).count(), ({ message }: Error) => {
      assert.match(message, /the client of LanceDB in .* could not be loaded/);
      assert.ok(message.includes(said), message);
      return true;
    });
  }
});

/** A project with this program as its client. */
const clientWith = (t: TestContext, program: string): string =>
  projectWith(t, { '@lancedb/lancedb': program, 'apache-arrow': '' });

test('a client that ends, hangs or answers invalidly is reported, and restarted by a question', async (t) => {
  const dying = clientWith(t, 'exports.connect = () => process.exit(7)');
  await assert.rejects(openStore(t, spec({ client: dying })).count(), {
    message: /gave no answer: the process of its client ended \(7\)\.$/,
  });
  const hanging = clientWith(t, 'exports.connect = () => { for (;;); }');
  const hung = openStore(t, spec({ client: hanging, timeoutMs: 4_000 }));
  await assert.rejects(hung.count(), { message: /did not answer within 4 s\.$/ });
  writeFileSync(
    path.join(hanging, 'node_modules/@lancedb/lancedb/index.js'),
    'exports.connect = async () => ({ openTable: async () => ({ countRows: () => 7 }) })',
  );
  assert.equal(await hung.count(), 7);
  const odd = clientWith(
    t,
    'exports.connect = async () => ({ openTable: async () => ({ countRows: () => "many" }) })',
  );
  const store = openStore(t, spec({ client: odd }));
  await assert.rejects(store.count(), { message: /gave an answer of an unexpected form\.$/ });
  const rows = clientWith(
    t,
    `const query = new Proxy({}, { get: (_, name) =>
      name === 'toArray' ? async () => [{ toJSON: () => ROW }] : name === 'then' ? undefined : () => query });
    const ROW = { id: { a: 1 }, text: 7, vector: ['x'], when: new Date(0), big: 2n ** 70n, _distance: NaN };
    exports.connect = async () => ({ openTable: async () => ({
      schema: async () => ({ fields: ['id', 'text', 'vector'].map((name) => ({ name, type: { toString: () => 'Utf8' }, nullable: true })) }),
      listIndices: async () => [], query: () => query }) });`,
  );
  const strange = openStore(t, spec({ client: rows, embedder: 'hashing' }));
  const [record] = await strange.first!(2);
  assert.deepEqual([record!.id, record!.text], [undefined, undefined]);
  assert.equal((await strange.vectors!.fetch(['a'])).size, 0);
  assert.deepEqual(await strange.search(QUERY, 2), []);
  const stop = new AbortController();
  const patient = openStore(t, spec({ client: hanging, timeoutMs: 60_000 }));
  const stopped = assert.rejects(patient.count(stop.signal), { id: 'cancelled' });
  stop.abort();
  await stopped;
});

test('the client of an untrusted workspace is not loaded', async (t) => {
  await assertWaitsForTrust(t, ['@lancedb/lancedb', 'apache-arrow'], (client) => spec({ client }));
});

test('folder and client are resolved beside parallax.json', async (t) => {
  const base = temporaryFolder(t);
  await loadLance(path.join(base, 'data'), 'places', passages.slice(0, 2));
  const externals = new ExternalRetrievers({ base, trusted: true, keys: {} }, () => assert.fail());
  t.after(() => externals.dispose());
  const store = externals.store(storeSpec(spec({ uri: 'data', client: process.cwd() })));
  assert.equal(await store.count(), 2);
});

test('an address with a secret is refused, and a store has a name', () => {
  for (const uri of ['s3://key:secret@bucket/x', 'db://name?api_key=secret'])
    assert.throws(() => storeSpec(spec({ uri })), /contains a password, or what may be one/);
  assert.equal(storeLabel(storeSpec(spec({ mode: 'hybrid' }))), 'LanceDB hybrid (places)');
});

test(
  'it finds the same top 5 as the embedded index, plain and with PAP and MMR',
  { skip: debateAbsent },
  async (t) => {
    const own = temporaryFolder(t);
    await assertAgreement(async (debate) => {
      await loadLance(own, 'debate', debate);
      return spec({ uri: own, table: 'debate' });
    }, Infinity);
  },
);

test('a cancelled question starts no process', async () => {
  const place = { client: import.meta.dirname, uri: 'nowhere', table: 'none' };
  const client = new StoreClient<LanceQuestions>(() => Promise.resolve({ store: 'lancedb', place }));
  const asked = client.ask({ asked: 'count', of: {} }, AbortSignal.abort());
  await assert.rejects(asked, { name: 'ClientError', fault: 'ended' });
});
