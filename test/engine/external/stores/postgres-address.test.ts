/**
 * The ways to connect to PostgreSQL: connection strings, a socket, certificates. The server is a real one (PGlite)
 * behind a proxy.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { after, test, type TestContext } from 'node:test';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { loadPostgres } from '../../../fixtures/stores/loading.ts';
import { noCertificates, ownCertificate } from '../../../fixtures/stores/own-certificate.ts';
import { orReason, startPostgres } from '../../../fixtures/stores/real-servers.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { postgresAddress } from '../../../../src/engine/external/stores/postgres/postgres-address.ts';
import { postgres } from '../../../../src/core/external/stores/postgres.ts';
import { storeRetrieverSchema } from '../../../../src/core/external/stores.ts';
import { embedded, openStore } from './support.ts';

const { server, skip } = await orReason(startPostgres);
after(() => server?.stop());
const TEXTS = [
  { id: 'a', text: 'Harbours bring trade.' },
  { id: 'b', text: 'Deserts are dry.' },
];
if (server) await loadPostgres(server.port, 'places', await embedded(TEXTS));

const TABLE = { type: 'postgres', table: 'places', columns: { text: 'te"xt' }, embedder: 'hashing' };

function passOn(from: Duplex, port: number): void {
  const to = connect(port, '127.0.0.1');
  // A closed connection must not block the server, which serves one at a time.
  for (const [one, other] of [
    [from, to],
    [to, from],
  ] as const)
    one.on('error', () => undefined).on('close', () => other.destroy());
  from.pipe(to).pipe(from);
}

async function listening(t: TestContext, front: Server, place: string | number): Promise<number> {
  const sockets = new Set<Socket>();
  front.on('connection', (socket) => sockets.add(socket));
  if (typeof place === 'string') front.listen(place);
  else front.listen(place, '127.0.0.1');
  await once(front, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    front.close();
  });
  return typeof place === 'string' ? 0 : (front.address() as AddressInfo).port;
}

/** A server that starts encryption as PostgreSQL does. */
function startEncrypted(t: TestContext, options: TlsOptions): Promise<number> {
  const encrypted = createTlsServer(options, (socket) => passOn(socket, server!.port));
  const front = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      encrypted.emit('connection', socket);
    });
  });
  return listening(t, front, 0);
}

test('a connection string reaches the server, in the settings or as a stored secret', { skip }, async (t) => {
  const url = `postgresql://postgres@127.0.0.1:${server!.port}/postgres`;
  assert.equal(await openStore(t, { ...TABLE, url }).count(), 2);
  const stored = {
    places: `postgres://postgres:se%40cret@127.0.0.1:${server!.port}/postgres?sslmode=disable`,
  };
  const [found] = await openStore(t, { ...TABLE, key: 'places' }, stored).search({ text: 'harbours' }, 1);
  assert.equal(found!.id, 'a');
});

test('a folder as host is that of a socket', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const front = createServer((socket) => passOn(socket, server!.port));
  await listening(t, front, path.join(folder, '.s.PGSQL.5432'));
  const fields = { ...TABLE, host: folder, database: 'postgres', user: 'postgres' };
  assert.equal(await openStore(t, fields).count(), 2);
  const url = `postgres:///postgres?host=${encodeURIComponent(folder)}&user=postgres`;
  assert.equal(await openStore(t, { ...TABLE, url }).count(), 2);
});

test(
  'certificates are checked, and client certificates sent',
  { skip: skip || noCertificates },
  async (t) => {
    const { file, keyFile, cert, key } = ownCertificate(t);
    const port = await startEncrypted(t, {
      cert,
      key,
      ca: cert,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const url = (parameters: string): object => ({
      ...TABLE,
      url: `postgres://postgres@127.0.0.1:${port}/postgres?${parameters}`,
    });
    const shown = { certFile: file, keyFile };
    assert.equal(await openStore(t, { ...url('sslmode=verify-full'), ...shown, caFile: file }).count(), 2);
    const named = `sslmode=require&sslrootcert=${file}&sslcert=${file}&sslkey=${keyFile}`;
    assert.equal(await openStore(t, url(named)).count(), 2);
    await assert.rejects(openStore(t, { ...url('sslmode=verify-full'), ...shown }).count(), {
      message: /shows a certificate that is not trusted here/,
    });
    await assert.rejects(openStore(t, { ...url('sslmode=require') }).count(), { id: 'retriever-failed' });
  },
);

test('a password in parallax.json is refused, with the place where it belongs', () => {
  const wrong = [
    'postgres://user:secret@host/db',
    'postgres://user:@host/db',
    'postgresql://user:sec?ret@host/db',
    'postgres://host/db?password=secret',
  ];
  for (const url of wrong) {
    const { error } = storeRetrieverSchema.safeParse({ ...TABLE, url });
    assert.match(error?.issues[0]?.message ?? '', /contains a password, .* "key" .*<NAME>_API_KEY/, url);
    assert.ok(!error?.message.includes('secret'));
  }
  for (const url of ['postgres://user@host:5432/db', 'postgres:///db?host=/tmp&user=a@b'])
    assert.equal(storeRetrieverSchema.safeParse({ ...TABLE, url }).success, true, url);
  assert.match(
    storeRetrieverSchema.safeParse(TABLE).error?.issues[0]?.message ?? '',
    /is missing: say it here, or in a connection string/,
  );
});

test('a stored secret overrides the connection string, which overrides the fields', () => {
  const read = (extra: object, secret?: string): object =>
    postgresAddress(postgres.schema.parse({ ...TABLE, database: 'd', user: 'u', ...extra }), secret);
  const none = {
    password: undefined,
    options: undefined,
    caFile: undefined,
    certFile: undefined,
    keyFile: undefined,
  };
  assert.deepEqual(
    read({ host: 'field', url: 'postgres://named@h:1/e?sslmode=verify-ca&options=-c%20x%3Dy' }, 'pw'),
    {
      ...none,
      ...{
        host: 'h',
        port: 1,
        database: 'e',
        user: 'named',
        password: 'pw',
        ssl: 'verify',
        options: '-c x=y',
      },
    },
  );
  assert.deepEqual(read({ url: 'postgres://named@h:1/e' }, 'postgres://s:p%3Aw@[::1]/f'), {
    ...none,
    ...{ host: '::1', port: 1, database: 'f', user: 's', password: 'p:w', ssl: 'off' },
  });
  assert.deepEqual(read({ caFile: 'ca.pem' }), {
    ...none,
    ...{ host: '127.0.0.1', port: 5432, database: 'd', user: 'u', ssl: 'verify', caFile: 'ca.pem' },
  });
  assert.throws(() => read({ url: 'postgres://h/d?sslmode=full' }), {
    id: 'bad-config',
    message: /has the sslmode "full", which does not exist. Use one of disable,/,
  });
  const sslOf = (query: string): unknown =>
    postgresAddress(postgres.schema.parse({ ...TABLE, url: `postgres://h/d?${query}` }), undefined).ssl;
  for (const [query, ssl] of Object.entries({
    'ssl=true': 'verify',
    'ssl=1': 'verify',
    'ssl=require': 'encrypt',
    'ssl=verify-full': 'verify',
    'ssl=false': 'off',
    'ssl=false&sslmode=require': 'encrypt',
    'sslnegotiation=direct': 'encrypt',
    'sslnegotiation=postgres': 'off',
  }))
    assert.equal(sslOf(query), ssl, query);
  for (const [field, ssl] of Object.entries({
    ...{
      off: 'off',
      encrypt: 'encrypt',
      verify: 'verify',
      disable: 'off',
      allow: 'encrypt',
      prefer: 'encrypt',
    },
    ...{ require: 'encrypt', 'no-verify': 'encrypt', 'verify-ca': 'verify', 'verify-full': 'verify' },
  }))
    assert.equal(
      postgresAddress(postgres.schema.parse({ ...TABLE, database: 'd', user: 'u', ssl: field }), undefined)
        .ssl,
      ssl,
      field,
    );
  assert.throws(() => sslOf('ssl=yes'), { id: 'bad-config', message: /has the sslmode "yes"/ });
  assert.throws(
    () => read({}, 'postgres://u:secret?@h:x/d'),
    (error: Error) => /cannot be read/.test(error.message) && !/secret/.test(error.message),
  );
  // Each has a number, which looks like a port, before the character that ends its part.
  for (const torn of ['u:12#rest@h/d', 'u:12/rest@h/d', 'u:12?rest@h/d', 'u:12?rest=x@h/d'])
    assert.throws(
      () => read({}, `postgres://${torn}`),
      { id: 'bad-config', message: /%40, %2F and %3F/ },
      torn,
    );
  for (const whole of ['u:12%23rest@h/d', 'h/d?user=me@example.com', 'h/a%40b?application_name=a%40b'])
    assert.doesNotThrow(() => read({}, `postgres://${whole}`), whole);
});
