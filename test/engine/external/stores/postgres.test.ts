/** Against a real PostgreSQL over TCP (PGlite), with pgvector and pg_textsearch. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { loadPostgres, withPostgres } from '../../../fixtures/stores/loading.ts';
import { orReason, startPostgres } from '../../../fixtures/stores/real-servers.ts';
import { closedPort, embedded, openStore, silentPort, storeSpec } from './support.ts';

const { server, skip } = await orReason(startPostgres);
after(() => server?.stop());

const TOPICS = ['rivers', 'mountains', 'harbours', 'deserts', 'forests'];
const TEXTS = Array.from({ length: 250 }, (_, index) => ({
  id: `p${String(index).padStart(3, '0')}`,
  text: `Passage ${index} is about ${TOPICS[index % 5]} number ${index}.`,
}));
const passages = await embedded(TEXTS);
const QUERY = { text: 'harbours number 42' };
/** Names that would end a statement if they were not quoted. */
const TABLE = 'pla"ces; --';

const spec = (extra: object = {}): object => ({
  type: 'postgres',
  port: server?.port,
  database: 'postgres',
  user: 'postgres',
  table: TABLE,
  columns: { text: 'te"xt' },
  embedder: 'hashing',
  ...extra,
});

if (server) await loadPostgres(server.port, TABLE, passages);

test(
  'a search by vector returns ids, texts and descending scores for every distance',
  { skip },
  async (t) => {
    for (const distance of ['cosine', 'l2', 'inner-product', 'l1']) {
      const results = await openStore(t, spec({ distance })).search(QUERY, 5);
      assert.equal(results[0]!.id, 'p042', distance);
      assert.equal(results[0]!.text, 'Passage 42 is about harbours number 42.');
      assert.equal(results.length, 5);
      const scores = results.map(({ score }) => score);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
      assert.ok(scores[0]! <= 1.000001 && scores[0]! > 0);
    }
  },
);

test('a zero vector is near to nothing', { skip }, async (t) => {
  const zeros = { id: 'zeros', text: 'nothing', vector: new Float32Array(384) };
  await loadPostgres(server!.port, 'zeros', [...passages.slice(0, 3), zeros]);
  const results = await openStore(t, spec({ table: 'zeros' })).search(QUERY, 10);
  assert.equal(results.length, 3);
  assert.ok(results.every(({ id, score }) => id !== 'zeros' && Number.isFinite(score)));
});

test('an exact search bypasses an approximate index', { skip }, async (t) => {
  await loadPostgres(server!.port, 'graph', passages);
  await withPostgres(server!.port, (client) =>
    client.query(
      'CREATE INDEX ON graph USING hnsw (embedding vector_cosine_ops) WITH (m = 2, ef_construction = 4)',
    ),
  );
  const scores = async (extra: object): Promise<number[]> =>
    (await openStore(t, spec(extra)).search(QUERY, 5)).map(({ score }) => score);
  assert.deepEqual(
    await scores({ table: 'graph', columns: { text: 'te"xt' }, exact: true }),
    await scores({}),
  );
  // A search list of 1 ends after one row, so the graph was used.
  assert.equal((await scores({ table: 'graph', ef: 1 })).length, 1);
});

test('a graph returns as many rows as requested, with and without a filter', { skip }, async (t) => {
  // A few rows would be compared one by one.
  const texts = Array.from({ length: 4000 }, (_, index) => ({
    id: `m${index}`,
    text: `Passage ${index} is about ${TOPICS[index % 5]} number ${index * 7919}.`,
  }));
  await loadPostgres(server!.port, 'many', await embedded(texts));
  await withPostgres(server!.port, async (client) => {
    await client.query('CREATE INDEX ON many USING hnsw (embedding vector_cosine_ops)');
    await client.query('ANALYZE many');
  });
  const found = async (k: number, extra: object): Promise<number> =>
    (await openStore(t, spec({ table: 'many', ...extra })).search(QUERY, k)).length;
  assert.equal(await found(100, {}), 100);
  assert.equal(await found(60, { where: { even: true } }), 60);
  // A breadth that the user's program sets is kept.
  assert.equal(await found(100, { ef: 40 }), 40);
});

test('full text search parses the query as configured', { skip }, async (t) => {
  const found = async (query: string, text: string): Promise<number> =>
    (await openStore(t, spec({ mode: 'text', query, embedder: undefined })).search({ text }, 200)).length;
  assert.equal(await found('plain', 'harbour'), 50);
  assert.equal(await found('plain', 'harbour mountains'), 0);
  assert.equal(await found('any', 'harbour mountains'), 100);
  assert.equal(await found('websearch', 'harbours -42'), 49);
  await assert.rejects(openStore(t, spec({ mode: 'text', language: 'klingon' })).search(QUERY, 1), {
    id: 'retriever-failed',
    message: /"klingon" does not exist/,
  });
});

test('bm25 finds its index, and reports a missing one', { skip }, async (t) => {
  const search = (extra: object = {}): Promise<readonly { id?: string | undefined; score: number }[]> =>
    openStore(t, spec({ table: 'words', columns: {}, mode: 'bm25', embedder: undefined, ...extra })).search(
      QUERY,
      200,
    );
  await withPostgres(server!.port, async (client) => {
    await client.query('CREATE TABLE words (id bigint PRIMARY KEY, text text)');
    await client.query({
      text: 'INSERT INTO words SELECT * FROM unnest($1::bigint[], $2::text[])',
      values: [TEXTS.map((_, index) => index), TEXTS.map(({ text }) => text)],
    });
  });
  await assert.rejects(search(), {
    id: 'retriever-failed',
    message: /has no bm25 index on the table words; install the extension pg_textsearch/,
  });
  await withPostgres(server!.port, (client) =>
    client.query(`CREATE INDEX words_bm25 ON words USING bm25 (text) WITH (text_config = 'english')`),
  );
  const results = await search();
  assert.equal(results[0]!.id, '42');
  assert.ok(results.every(({ score }, index) => score > 0 && score <= (results[index - 1]?.score ?? score)));
  assert.deepEqual(await search({ index: 'words_bm25' }), results);
});

test('no part of a request can become part of a statement', { skip }, async (t) => {
  const evil = `x'; DROP TABLE "${TABLE}"; -- $1 {query} "`;
  for (const mode of ['vector', 'text']) await openStore(t, spec({ mode })).search({ text: evil }, 3);
  await openStore(t, spec({ where: { 'te"xt': evil } })).search(QUERY, 3);
  await openStore(t, spec()).vectors!.fetch([evil]);
  await assert.rejects(openStore(t, spec({ where: { [evil]: 1 } })).search(QUERY, 3), /does not exist/);
  assert.equal(await openStore(t, spec()).count(), 250);
});

test('a search cannot write, not even through a writing view', { skip }, async (t) => {
  await withPostgres(server!.port, (client) =>
    client.query(`CREATE TABLE precious AS SELECT 1 AS one;
      CREATE FUNCTION wipe() RETURNS text LANGUAGE sql AS $$ DELETE FROM precious; SELECT 'gone'::text $$;
      CREATE VIEW trap AS SELECT id, wipe() AS text, embedding FROM "pla""ces; --"`),
  );
  await assert.rejects(openStore(t, spec({ table: 'trap', columns: {} })).search(QUERY, 1), {
    id: 'retriever-failed',
    message: /cannot execute DELETE in a read-only transaction/,
  });
  const { rows } = await withPostgres(server!.port, (client) => client.query('SELECT one FROM precious'));
  assert.deepEqual(rows, [{ one: 1 }]);
});

test('a filter on columns is applied, the store counts, and has first records', { skip }, async (t) => {
  const store = openStore(t, spec({ where: { even: true } }));
  assert.equal(await store.count(), 125);
  assert.equal((await store.search(QUERY, 200)).length, 125);
  const { message, count } = await store.check();
  assert.match(message, /the table public\.pla"ces; -- has 125 rows/);
  assert.equal(count, 125);
  assert.deepEqual(
    (await store.first!(50)).map(({ id }) => id),
    TEXTS.filter((_, index) => index % 2 === 0 && index < 100).map(({ id }) => id),
  );
});

test('numeric ids are compared as numbers', { skip }, async (t) => {
  await withPostgres(server!.port, (client) =>
    client.query(
      `CREATE TABLE numbered AS SELECT row_number() OVER (ORDER BY id) AS id, "te""xt" AS text, embedding::halfvec(384) FROM "pla""ces; --"`,
    ),
  );
  const store = openStore(t, spec({ table: 'numbered', columns: {} }));
  assert.equal((await store.search(QUERY, 1))[0]!.id, '43');
  assert.deepEqual(
    (await store.first!(11)).slice(9).map(({ id }) => id),
    ['10', '11'],
  );
  const vector = (await store.vectors!.fetch(['43', '9999'])).get('43')!;
  assert.ok(vector.every((value, index) => Math.abs(value - passages[42]!.vector[index]!) < 1e-3));
});

test('errors are reported in a sentence', { skip }, async (t) => {
  const rejects = (extra: object, message: RegExp): Promise<void> =>
    assert.rejects(openStore(t, spec(extra)).search(QUERY, 1), { id: 'retriever-failed', message });
  await rejects({ table: 'nowhere' }, /has no table public\.nowhere/);
  await rejects({ schema: 'nowhere' }, /has no table nowhere\./);
  await rejects({ columns: { id: 'nummer' } }, /has no column "nummer" in the table/);
  await rejects(
    { columns: { embedding: 'even' } },
    /has no column "even" of pgvector's type vector or halfvec/,
  );
  await withPostgres(server!.port, (client) =>
    client.query('CREATE TABLE small (id text, text text, embedding vector(8))'),
  );
  await rejects(
    { table: 'small', columns: {} },
    /contains vectors of 8 dimensions, and the embedder "hashing" makes 384/,
  );
  assert.throws(() => storeSpec(spec({ embedder: undefined })), /mode \\"vector\\" needs the embedder/);
});

test('a failed statement does not affect the next search', { skip }, async (t) => {
  const store = openStore(t, spec());
  await assert.rejects(store.first!(0.5));
  assert.equal((await store.search(QUERY, 1))[0]!.id, 'p042');
});

test('a stopped or silent server, or a refused password, is an error in time', async (t) => {
  const at = (port: number, extra: object = {}): object => spec({ port, mode: 'text', ...extra });
  await assert.rejects(openStore(t, at(await closedPort())).search(QUERY, 1), {
    id: 'retriever-failed',
    message: /could not be reached: connect ECONNREFUSED .*is it running\?$/,
  });
  const port = await silentPort(t);
  await assert.rejects(openStore(t, at(port, { timeoutMs: 300 })).search(QUERY, 1), {
    message: /did not answer within 0\.3 s/,
  });
  const patient = openStore(t, at(port));
  const abort = new AbortController();
  const cancelled = patient.search(QUERY, 1, abort.signal);
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(cancelled, { id: 'cancelled' });

  for (const [said, message] of [
    [
      'C28P01\0Mpassword authentication failed for user "postgres"',
      /refuses the user "postgres": password authentication failed.*check the stored password/,
    ],
    // The answer of a server that requires a client certificate (hostssl … cert).
    [
      'C28000\0Mconnection requires a valid client certificate',
      /valid client certificate; name its files as "certFile" and "keyFile"\.$/,
    ],
  ] as const) {
    const refused = at(await refusingPort(t, said), { key: 'db' });
    await assert.rejects(openStore(t, refused, { db: 'wrong' }).search(QUERY, 1), {
      id: 'retriever-failed',
      message,
    });
  }
});

/** Answers with an ErrorResponse of the PostgreSQL protocol, section 54.7 of its manual. @param said its fields */
async function refusingPort(t: TestContext, said: string): Promise<number> {
  const refusing = createServer((socket) => {
    socket.on('error', () => undefined);
    const fields = Buffer.from(`SFATAL\0${said}\0\0`);
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeInt32BE(fields.length + 4, 1);
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  }).listen(0, '127.0.0.1');
  t.after(() => refusing.close());
  await once(refusing, 'listening');
  return (refusing.address() as AddressInfo).port;
}

interface Counted {
  readonly port: number;
  readonly open: Set<Socket>;
  /** Connections with a pending request while {@link isHeld}. */
  readonly held: Set<Socket>;
  isHeld: boolean;
  most: number;
}

/** A proxy that counts connections and can hold back requests. */
async function counting(t: TestContext): Promise<Counted> {
  const open = new Set<Socket>();
  const proxy = createServer((socket) => {
    const onward = connect(server!.port, '127.0.0.1');
    open.add(socket);
    counted.most = Math.max(counted.most, open.size);
    socket.on('close', () => {
      open.delete(socket);
      onward.destroy();
    });
    for (const end of [socket, onward]) end.on('error', () => undefined);
    socket.on('data', (chunk) => void (counted.isHeld ? counted.held.add(socket) : onward.write(chunk)));
    onward.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const counted: Counted = { port, open, held: new Set(), isHeld: false, most: 0 };
  t.after(() => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  return counted;
}

test('concurrent searches share a few connections, and cancelled ones end', { skip }, async (t) => {
  for (const [extra, allowed] of [
    [{ connections: 2 }, 2],
    [{}, 4],
  ] as const) {
    const counted = await counting(t);
    const store = openStore(t, spec({ port: counted.port, ...extra }));
    const searches = Array.from({ length: 12 }, () => store.search(QUERY, 1));
    for (const [found] of await Promise.all(searches)) assert.equal(found!.id, 'p042');
    assert.equal(counted.most, allowed);
    counted.isHeld = true;
    const stop = new AbortController();
    const [stopped, other] = [store.search(QUERY, 1, stop.signal), store.search(QUERY, 1)];
    other.catch(() => undefined);
    while (counted.held.size < 2) await delay(5);
    stop.abort();
    await assert.rejects(stopped, { id: 'cancelled' });
    while ([...counted.held].every((socket) => counted.open.has(socket))) await delay(5);
    assert.equal([...counted.held].filter((socket) => counted.open.has(socket)).length, 1);
    counted.isHeld = false;
    assert.equal((await store.search(QUERY, 1))[0]!.id, 'p042');
  }
});
