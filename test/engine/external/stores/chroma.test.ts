/** Against a real Chroma. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadChroma } from '../../../fixtures/stores/loading.ts';
import { orReason, startChroma } from '../../../fixtures/stores/real-servers.ts';
import { closedPort, embedded, openStore, retrievers, silentPort, storeSpec } from './support.ts';

const { server, skip } = await orReason(startChroma);
after(() => server?.stop());

const TEXTS = Array.from({ length: 250 }, (_, index) => ({
  id: `p${index}`,
  text: `Passage ${index} is about ${['rivers', 'mountains', 'harbours', 'deserts', 'forests'][index % 5]} number ${index}.`,
}));
const passages = await embedded(TEXTS);
const QUERY = { text: 'harbours number 42' };

const spec = (extra: object = {}): object => ({
  type: 'chroma',
  url: `http://127.0.0.1:${server?.port}`,
  collection: 'places',
  embedder: 'hashing',
  ...extra,
});

if (server) await loadChroma(server.port, 'places', passages);

/** Ids by inner product of unit vectors, best first. */
async function expected(text: string, k: number): Promise<string[]> {
  const [query] = await embedded([{ id: 'q', text }]);
  const score = (vector: Float32Array): number =>
    vector.reduce((sum, value, index) => sum + value * query!.vector[index]!, 0);
  return passages
    .map(({ id, vector }) => ({ id, score: score(vector) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, k)
    .map(({ id }) => id);
}

test('a search returns ids, texts and cosines, best first', { skip }, async (t) => {
  const results = await openStore(t, spec()).search(QUERY, 3);
  assert.deepEqual(
    results.map(({ id }) => id),
    await expected(QUERY.text, 3),
  );
  assert.equal(results[0]!.text, 'Passage 42 is about harbours number 42.');
  assert.ok(results[0]!.score > results[1]!.score && results[0]!.score <= 1);
});

test('distances of every kind become descending scores', { skip }, async (t) => {
  for (const space of ['l2', 'ip'] as const) {
    await loadChroma(server!.port, `space-${space}`, passages.slice(0, 60), space);
    const results = await openStore(t, spec({ collection: `space-${space}` })).search(QUERY, 10);
    assert.equal(results[0]!.id, 'p42');
    assert.deepEqual(
      results.map(({ score }) => score),
      results.map(({ score }) => score).toSorted((a, b) => b - a),
    );
    assert.ok(results.every(({ score }) => score <= 1.000001));
  }
});

test('a zero vector does no harm', { skip }, async (t) => {
  const zeros = { id: 'zeros', text: 'nothing', vector: new Float32Array(384) };
  await loadChroma(server!.port, 'zeros', [...passages.slice(40, 44), zeros]);
  const results = await openStore(t, spec({ collection: 'zeros' })).search(QUERY, 10);
  assert.equal(results[0]!.id, 'p42');
  assert.ok(results.every(({ score }) => Number.isFinite(score)));
});

test('a filter is applied, and the id may be in the metadata', { skip }, async (t) => {
  const results = await openStore(t, spec({ where: { even: true }, idField: 'source' })).search(QUERY, 200);
  assert.equal(results.length, 125);
  assert.ok(results.every(({ id, key }) => id === `doc-${key}` && Number(key!.slice(1)) % 2 === 0));
});

test('filters with $and, $or and $in reach the server', { skip }, async (t) => {
  const where = {
    $and: [{ even: true }, { $or: [{ source: { $in: ['doc-p8', 'doc-p7'] } }, { source: 'doc-p10' }] }],
  };
  const results = await openStore(t, spec({ where })).search(QUERY, 200);
  assert.deepEqual(results.map(({ id }) => id).toSorted(), ['p10', 'p8']);
  const byField = openStore(t, spec({ idField: 'source', where }));
  const found = await byField.records(['doc-p8', 'doc-p7', 'doc-p12']);
  assert.deepEqual(
    found.map(({ key }) => key),
    ['p8'],
  );
  await assert.rejects(
    openStore(t, spec({ where: { even: true, source: 'doc-p8' } })).search(QUERY, 1),
    /answered 400: Invalid where clause/,
  );
});

test('numeric ids in the metadata are found', { skip }, async (t) => {
  const found = await openStore(t, spec({ idField: 'number' })).records(['7', '008', 'seven', '1e1']);
  assert.deepEqual(
    found.map(({ key, id }) => [key, id]),
    [['p7', '7']],
  );
});

test('the store counts, reports its health, and returns first records', { skip }, async (t) => {
  const store = openStore(t, spec());
  assert.equal(await store.count(), 250);
  const { message, count } = await store.check();
  assert.match(message, /answers; the collection "places" has 250 records/);
  assert.equal(count, 250);
  assert.deepEqual(
    (await store.first!(100)).map(({ id }) => id),
    TEXTS.slice(0, 100).map(({ id }) => id),
  );
});

test('records are fetched by id, within the filter, with their metadata', { skip }, async (t) => {
  const [record, none] = await openStore(t, spec()).records(['p8', 'gone']);
  assert.equal(record!.id, 'p8');
  assert.deepEqual(record!.about, {
    source: 'doc-p8',
    fields: { even: 'true', number: '8', source: 'doc-p8' },
  });
  assert.equal(none, undefined);
  const byField = openStore(t, spec({ idField: 'source', where: { even: true } }));
  const found = await byField.records(['doc-p8', 'doc-p7']);
  assert.deepEqual(
    found.map(({ key }) => key),
    ['p8'],
  );
});

test('vectors are returned unchanged, and missing ones are omitted', { skip }, async (t) => {
  const { vectors } = openStore(t, spec());
  const found = await vectors!.fetch(['p7', 'gone', 'p8']);
  assert.deepEqual([...found.keys()].toSorted(), ['p7', 'p8']);
  // For cosines Chroma normalizes vectors again, which may change the last digit.
  const given = passages[7]!.vector;
  assert.ok(found.get('p7')!.every((value, index) => Math.abs(value - given[index]!) < 1e-6));
  assert.equal((await vectors!.fetch([])).size, 0);
});

test('errors are reported in a sentence', { skip }, async (t) => {
  const failure = (message: RegExp): object => ({ id: 'retriever-failed', message });
  await assert.rejects(
    openStore(t, spec({ collection: 'nowhere' })).search(QUERY, 1),
    failure(/has no collection "nowhere" in the database "default_database"/),
  );
  await loadChroma(server!.port, 'small', [{ id: 'a', text: 'a', vector: new Float32Array(8).fill(1) }]);
  await assert.rejects(
    openStore(t, spec({ collection: 'small' })).search(QUERY, 1),
    failure(/contains vectors of 8 dimensions, and the embedder "hashing" makes 384/),
  );
  await assert.rejects(
    openStore(t, spec({ where: { even: { $huh: 1 } } })).search(QUERY, 1),
    failure(/\$huh|where/),
  );
  await assert.rejects(openStore(t, spec({ embedder: 'nobody' })).search(QUERY, 1), {
    id: 'bad-pipeline',
    message: /no embedder "nobody"/,
  });
});

test('a stopped, silent or refusing server is an error in time', async (t) => {
  const gone = spec({ url: `http://127.0.0.1:${await closedPort()}` });
  await assert.rejects(openStore(t, gone).search(QUERY, 1), {
    id: 'retriever-failed',
    message: /could not be reached: .*ECONNREFUSED.*; is it running\?$/,
  });
  assert.deepEqual((await retrievers(t).check(storeSpec(gone), undefined)).ok, false);
  const silent = spec({ url: `http://127.0.0.1:${await silentPort(t)}`, timeoutMs: 300 });
  await assert.rejects(openStore(t, silent).search(QUERY, 1), { message: /did not answer within 0\.3 s/ });

  const patient = openStore(t, { ...silent, timeoutMs: 60_000 });
  const abort = new AbortController();
  const cancelled = patient.search(QUERY, 1, abort.signal);
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(cancelled, { id: 'cancelled' });
  const waiting = assert.rejects(patient.count(), { message: /was closed before it answered/ });
  setTimeout(() => void patient.close(), 50);
  await waiting;
});

test('a missing key is reported by its name, and is never part of the URL', async (t) => {
  assert.throws(() => openStore(t, spec({ url: 'http://localhost:1', key: 'chroma' })), {
    id: 'model-key',
    message: /needs the API key "chroma".*environment variable CHROMA_API_KEY/,
  });
  assert.throws(() => storeSpec(spec({ url: 'http://user:secret@localhost:1' })), /keys are stored/);
});
