/** MongoDB by contract, asked through its real driver, which this project has installed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { Binary, Double, Long, ObjectId, UUID, type Document } from 'bson';
import { storeLabel } from '../../../../src/core/external/store-types.ts';
import { mongoAddress } from '../../../../src/engine/external/stores/mongodb/mongo-address.ts';
import type { Loaded } from '../../../fixtures/stores/loading.ts';
import {
  noCertificates,
  ownCertificate,
  type OwnCertificate,
} from '../../../fixtures/stores/own-certificate.ts';
import {
  startMongo,
  type MongoSettings,
  type ScriptedMongo,
  type SearchIndex,
} from '../../../fixtures/stores/scripted-mongo.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { assertAgreement, OF_A_SCRIPT } from './agreement.ts';
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
import { closedPort, debateAbsent, openStore, silentPort, storeSpec } from './support.ts';

const documentOf = ({ id, text, vector }: Loaded, number: number): Document => ({
  ...{ _id: id, text, embedding: Array.from(vector, (each) => new Double(each)), number },
  ...{ even: number % 2 === 0, metadata: { source: `doc-${id}`, page: number } },
});
const vectorIndex = (extra: Document = {}): SearchIndex => ({
  name: 'vector_index',
  type: 'vectorSearch',
  definition: {
    fields: [
      { type: 'vector', path: 'embedding', numDimensions: 384, similarity: 'cosine', ...extra },
      { type: 'filter', path: 'even' },
      { type: 'filter', path: 'metadata.source' },
    ],
  },
});
const WORDS: SearchIndex = { name: 'default', type: 'search', definition: { mappings: { dynamic: true } } };

const start = (
  t: { after(close: () => Promise<void>): void },
  settings: Partial<MongoSettings> = {},
): Promise<ScriptedMongo> =>
  startMongo(t, {
    ...{ database: 'kb', collection: 'places', documents: passages.map(documentOf) },
    indexes: [vectorIndex(), WORDS],
    ...settings,
  });
const server = await start({ after });

const at = (url: string, extra: object = {}): object => ({
  ...{ type: 'mongodb', url, database: 'kb', collection: 'places', client: process.cwd() },
  ...{ embedder: 'hashing', ...extra },
});
const spec = (extra: object = {}): object => at(server.url, extra);
const failure = (message: RegExp): object => ({ id: 'retriever-failed', message });
const last = ({ asked }: ScriptedMongo): Document => asked.at(-1)![0]!;

test('a search returns ids, texts, cosines and locations, best first', async (t) => {
  await assertFindsBest(openStore(t, spec()));
});

test('a search considers the given number of candidates, at least k, or all of them', async (t) => {
  const breadth = async (extra: object, k: number): Promise<unknown[]> => {
    assert.equal((await openStore(t, spec(extra)).search(QUERY, k)).length, Math.min(k, 250));
    const { numCandidates, exact, limit } = last(server)['$vectorSearch'] as Document;
    return [numCandidates, exact, limit].map((each: unknown) => each && each.valueOf());
  };
  assert.deepEqual(await breadth({}, 10), [200, undefined, 10]);
  assert.deepEqual(await breadth({}, 1000), [10_000, undefined, 1000]);
  assert.deepEqual(await breadth({ numCandidates: 40 }, 10), [40, undefined, 10]);
  assert.deepEqual(await breadth({ numCandidates: 40 }, 100), [100, undefined, 100]);
  assert.deepEqual(await breadth({}, 20_000), [10_000, undefined, 10_000]);
  assert.deepEqual(await breadth({ exact: true }, 10), [undefined, true, 10]);
});

test('scores of inner products and distances descend, and are cosines if possible', async (t) => {
  for (const similarity of ['dotProduct', 'euclidean']) {
    const other = await start(t, { indexes: [vectorIndex({ similarity })] });
    const results = await openStore(t, at(other.url)).search(QUERY, 3);
    assert.equal(results[0]!.id, 'p42');
    const [best] = await expected(QUERY.text, 1);
    const wanted = similarity === 'dotProduct' ? best!.score : 1 / (3 - 2 * best!.score);
    assert.ok(Math.abs(results[0]!.score - wanted) < 1e-6, similarity);
  }
});

test('words are searched by the search index, alone and together with vectors', async (t) => {
  const byWords = await openStore(t, spec({ mode: 'text', embedder: undefined })).search(
    { text: 'harbours' },
    100,
  );
  assert.equal(byWords.length, 50);
  assert.ok(byWords.every(({ text, score }) => text!.includes('harbours') && score > 0));
  const both = await openStore(t, spec({ mode: 'hybrid' })).search(QUERY, 5);
  assert.equal(both.length, 5);
  assert.equal(both[0]!.id, 'p42');
  assert.ok(Math.abs(both[0]!.score - 2 / 61) < 1e-9, String(both[0]!.score));
});

test('a filter is applied to every request', async (t) => {
  const filter = { even: true, 'metadata.source': { $ne: 'doc-p42' } };
  await assertKeepsFilter(openStore(t, spec({ filter })));
  const byWords = await openStore(t, spec({ mode: 'text', filter })).search({ text: 'harbours' }, 100);
  assert.equal(byWords.length, 24);
  await assert.rejects(
    openStore(t, spec({ filter: { number: 3 } })).search(QUERY, 1),
    failure(/ refuses: Path 'number' needs to be indexed as filter\.$/),
  );
});

test('a filter may contain values of other types, as Extended JSON', async (t) => {
  const by = new ObjectId();
  const documents = passages.slice(0, 4).map((passage, number) => ({
    ...documentOf(passage, number),
    ...(number === 2 ? { by } : {}),
  }));
  const other = await start(t, { documents });
  const store = openStore(t, at(other.url, { filter: { by: { $oid: by.toHexString() } } }));
  assert.equal(await store.count(), 1);
  assert.deepEqual(ids(await store.first!(10)), ['p2']);
});

test('the store counts, reports its health, and returns first records', async (t) => {
  const store = openStore(t, spec());
  assert.deepEqual(await store.check(), {
    message: `MongoDB at 127.0.0.1:${server.port} answers; the collection "places" has 250 documents.`,
    count: 250,
  });
  assert.deepEqual(ids(await store.first!(120)), ids(TEXTS).toSorted().slice(0, 120));
});

test('records and vectors are fetched by id, and missing ones are omitted', async (t) => {
  await assertComesByIds(openStore(t, spec()));
});

test('ids may be of any type, and be in another field', async (t) => {
  const own = [new ObjectId(), new UUID(), 7, Long.fromString('9007199254740993'), 'a.b'];
  const documents = own.map((_id, place) => ({
    ...documentOf(passages[place]!, place),
    ...{ _id, metadata: { chunk: `c${place}` } },
  }));
  const other = await start(t, { documents });
  const store = openStore(t, at(other.url));
  const names = own.map((id) => (id instanceof ObjectId ? id.toHexString() : id.toString()));
  const records = await store.first!(10);
  assert.deepEqual(ids(records).toSorted(), names.toSorted());
  for (const [place, name] of names.entries()) {
    const [found, ...others] = await store.records([name]);
    assert.deepEqual([found?.id, found?.text, others], [name, TEXTS[place]!.text, []]);
    assert.deepEqual([...(await store.vectors!.fetch([name])).keys()], [name]);
  }
  const inFields = openStore(t, at(other.url, { idField: 'metadata.chunk' }));
  const [third] = await inFields.records(['c3']);
  assert.deepEqual([third?.id, third?.key], ['c3', '9007199254740993']);
});

test('vectors may be stored as binary data', async (t) => {
  const floats = new Float32Array([0.5, -0.25, 0]);
  const packed = [
    Binary.fromFloat32Array(floats),
    Binary.fromInt8Array(new Int8Array([1, -2, 3])),
    Binary.fromPackedBits(new Uint8Array([7]), 0),
  ];
  const documents = packed.map((embedding, place) => ({ _id: `b${place}`, text: 'binary', embedding }));
  const other = await start(t, { documents });
  const vectors = await openStore(t, at(other.url)).vectors!.fetch(['b0', 'b1', 'b2']);
  assert.deepEqual(
    [...vectors],
    [
      ['b0', floats],
      ['b1', Float32Array.of(1, -2, 3)],
    ],
  );
});

test('faults that MongoDB ignores silently are reported', async (t) => {
  const asked = (settings: Partial<MongoSettings>, extra: object = {}): Promise<unknown> =>
    start(t, settings).then(({ url }) => openStore(t, at(url, extra)).search(QUERY, 3));
  await assert.rejects(
    asked({ indexes: [] }),
    failure(/has no vector search index on the collection "places", so it would find nothing/),
  );
  await assert.rejects(
    asked({}, { index: 'embeddings' }),
    failure(/has no index "embeddings" on .* it has "vector_index": name it as "index"\.$/),
  );
  await assert.rejects(
    asked({}, { mode: 'text', searchIndex: 'words' }),
    failure(/has no index "words" on .* it has "default": name it as "searchIndex"\.$/),
  );
  await assert.rejects(
    asked({ indexes: [vectorIndex()] }, { mode: 'hybrid' }),
    failure(/has no search index on the collection "places"/),
  );
  await assert.rejects(
    asked({}, { vectorField: 'vector' }),
    failure(/has no vectors of the field "vector" in the index "vector_index", but of "embedding"/),
  );
  await assert.rejects(
    asked({ indexes: [{ ...vectorIndex(), queryable: false }] }),
    failure(/cannot search by the index "vector_index" yet \(BUILDING\)/),
  );
  await assert.rejects(
    asked({ hidesIndexes: true }, { index: 'embeddings' }),
    failure(/found nothing at all, and does not say whether there is an index "embeddings"/),
  );
  assert.equal(((await asked({ hidesIndexes: true })) as unknown[]).length, 3);
});

test('an index that is dropped during a session is reported', async (t) => {
  const indexes = [vectorIndex()];
  const other = await start(t, { indexes });
  const store = openStore(t, at(other.url));
  assert.equal((await store.search(QUERY, 3)).length, 3);
  indexes.pop();
  await assert.rejects(store.search(QUERY, 3), failure(/has no vector search index/));
});

test('vectors that do not match the index are reported before a request', async (t) => {
  const other = await start(t, { indexes: [vectorIndex({ numDimensions: 8 })] });
  await assert.rejects(
    openStore(t, at(other.url)).search(QUERY, 1),
    failure(/contains vectors of 8 dimensions, and the embedder "hashing" makes 384/),
  );
});

test('a password is stored, alone or in a connection string, and never shown', async (t) => {
  const user = { name: 'reader', password: 'se:cr@t pass/word' };
  const other = await start(t, { user });
  const named = at(other.url, { key: 'mongo' });
  assert.equal(await openStore(t, named, { mongo: user.password }).count(), 250);
  const whole = other.url.replace('@', `:${encodeURIComponent(user.password)}@`);
  const stored = at(undefined as unknown as string, { key: 'mongo' });
  assert.equal(await openStore(t, stored, { mongo: whole }).count(), 250);
  const refused = await openStore(t, named, { mongo: 'another password' })
    .count()
    .then(() => undefined, String);
  assert.match(refused!, /refuses access \(Authentication failed\); check the stored key/);
  const nobody = at(other.url.replace('reader@', ''));
  await assert.rejects(
    openStore(t, nobody).count(),
    failure(/refuses access \(command count requires authentication\); check the stored key/),
  );
  for (const url of [whole, `${other.url}/?authMechanismProperties=AWS_SESSION_TOKEN:abc`])
    assert.throws(() => storeSpec(at(url)), /contains a password, or what may be one/);
  storeSpec(at('mongodb+srv://reader@c.example.net/?retryWrites=true&authSource=admin'));
});

test('a connection string is parsed, and a broken one is never shown', () => {
  assert.deepEqual(mongoAddress({ url: 'mongodb://me@a:1,b:2/?replicaSet=r' }, 'p@ss'), {
    url: 'mongodb://me:p%40ss@a:1,b:2/?replicaSet=r',
    servers: 'a:1,b:2',
    password: 'p@ss',
  });
  assert.deepEqual(mongoAddress({ url: undefined }, undefined).servers, '127.0.0.1:27017');
  for (const torn of [
    'mongodb://me:p@ss@host',
    'mongodb://me:p/ss@host',
    'mongodb://me:%zz@host',
    'mongodb://',
  ])
    assert.throws(
      () => mongoAddress({ url: undefined }, torn),
      (error: Error) => /cannot be read/.test(error.message) && !error.message.includes('ss@'),
    );
  assert.throws(() => mongoAddress({ url: 'mongodb://host' }, 'secret'), /has no user for/);
});

test('an unreachable or silent server is reported in time', async (t) => {
  const closed = `mongodb://127.0.0.1:${await closedPort()}`;
  // Half of the time is for the driver to find a server. The other half has to suffice for loading it on a busy
  // machine.
  await assert.rejects(
    openStore(t, at(closed, { timeoutMs: 8000 })).count(),
    failure(/could not be reached: .*ECONNREFUSED.*Is it running, and, in Atlas, is this machine's address/),
  );
  const silent = `mongodb://127.0.0.1:${await silentPort(t)}`;
  await assert.rejects(
    openStore(t, at(silent, { timeoutMs: 1500 })).count(),
    failure(/could not be reached|did not answer within 1\.5 s/),
  );
});

test(
  "behind TLS, with an authority and a client certificate of one's own",
  { skip: noCertificates },
  async (t) => {
    const own = ownCertificate(t);
    const url = `mongodb://127.0.0.1:${await encrypted(t, own)}`;
    const asked = (files: object): Promise<number | undefined> =>
      openStore(t, at(url, { timeoutMs: 60_000, ...files })).count();
    const { file: caFile, file: certFile, keyFile } = own;
    assert.equal(await asked({ caFile, certFile, keyFile }), passages.length);
    await assert.rejects(
      asked({ caFile }),
      failure(/asks for a client's certificate; name its files as "certFile"/),
    );
    await assert.rejects(
      asked({ certFile, keyFile }),
      failure(/certificate that is not trusted here .* as "caFile"/),
    );
  },
);

/** @returns the port of a server that requires TLS with a client certificate, and forwards to MongoDB */
async function encrypted(t: TestContext, { key, cert }: OwnCertificate): Promise<number> {
  const front = createTlsServer(
    { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true },
    (socket) => {
      const behind = connect(server.port, '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const [one, other] of [
        [socket, behind],
        [behind, socket],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    },
  );
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  t.after(() => front.close());
  return (front.address() as AddressInfo).port;
}

test('an endless answer is cancelled by its size', async (t) => {
  const index = { name: 'vector_index', type: 'vectorSearch', latestDefinition: vectorIndex().definition };
  const mongodb = `
    const endless = { async *[Symbol.asyncIterator]() { for (;;) yield { _id: 'a', text: 'x'.repeat(2 ** 20) }; } };
    const listed = { toArray: async () => [${JSON.stringify({ ...index, queryable: true })}] };
    const collection = { aggregate: ([stage]) => ('$listSearchIndexes' in stage ? listed : endless) };
    exports.MongoClient = class { db() { return { collection: () => collection }; } };
  `;
  const bson = 'exports.Double = Number; exports.EJSON = { deserialize: (value) => value };';
  const client = projectWith(t, { mongodb, bson });
  await assert.rejects(openStore(t, spec({ client })).search(QUERY, 3), failure(/sent more than 128 MB/));
});

test('a missing driver is reported with its installation, a broken one with its error', async (t) => {
  const client = temporaryFolder(t);
  await assert.rejects(
    openStore(t, spec({ client })).count(),
    failure(/is read by MongoDB's own client, .* run "npm install mongodb" there/),
  );
  const alone = projectWith(t, { mongodb: '' });
  await assert.rejects(
    openStore(t, spec({ client: alone })).records(['a']),
    failure(/needs the package bson\. .* does not have it: run "npm install bson" there/),
  );
  const broken = projectWith(t, { mongodb: 'throw new Error("broken")' });
  await assert.rejects(
    openStore(t, spec({ client: broken })).count(),
    failure(/could not be loaded \(broken/),
  );
});

test('the driver of an untrusted workspace is not loaded', async (t) => {
  await assertWaitsForTrust(t, ['bson', 'mongodb'], (client) => spec({ client }));
});

test('errors in a connection string are reported without its password', async (t) => {
  const key = 'mongodb://me:topsecretword@127.0.0.1:1/?unheardOf=1';
  const stored = at(undefined as unknown as string, { key: 'mongo' });
  const said = await openStore(t, stored, { mongo: key })
    .count()
    .then(() => '', String);
  assert.match(said, /refuses: .*unheardof/i);
  assert.doesNotMatch(said, /topsecretword/);
});

test('a store needs a name, and a field a valid path', () => {
  assert.equal(storeLabel(storeSpec(spec())), 'MongoDB (places)');
  assert.equal(storeLabel(storeSpec(spec({ mode: 'text' }))), 'MongoDB full text (places)');
  for (const textField of ['$where', 'a..b', '', 'a.$b'])
    assert.throws(() => storeSpec(spec({ textField })), /name of a field/);
});

test(
  'it finds the same top 5 as the embedded index, plain and with PAP and MMR',
  { skip: debateAbsent },
  (t) =>
    assertAgreement(async (debate) => {
      const documents = debate.map(documentOf);
      const { url } = await start(t, { documents });
      return at(url);
    }, OF_A_SCRIPT),
);
