/** Stores behind TLS on loopback, with a certificate from a private authority. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import {
  noCertificates as skip,
  ownCertificate,
  type OwnCertificate,
} from '../../../fixtures/stores/own-certificate.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { openStore } from './support.ts';

/** An index with three records, and its settings. */
async function startIndex(
  t: TestContext,
  { key, cert }: OwnCertificate,
  wanted: object = {},
): Promise<object> {
  const answer = JSON.stringify({ namespaces: { '': { vectorCount: 3 } }, dimension: 384 });
  const server = createHttpsServer({ key, cert, ...wanted }, (_, response) => response.end(answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { type: 'pinecone', url: `https://127.0.0.1:${port}`, embedder: 'hashing' };
}

const UNTRUSTED = {
  id: 'retriever-failed',
  message: /shows a certificate that is not trusted here \(self-signed certificate\); .*"caFile"\.$/,
};

test('a certificate of an unknown authority is refused with advice', { skip }, async (t) => {
  await assert.rejects(openStore(t, await startIndex(t, ownCertificate(t))).count(), UNTRUSTED);
});

test('a store is asked once the process trusts its authority', { skip }, async (t) => {
  const own = ownCertificate(t);
  const spec = JSON.stringify(await startIndex(t, own));
  const source = (file: string): string => JSON.stringify(path.resolve('src', file));
  const program = `
    const { createStore } = await import(${source('engine/external/stores/create-store.ts')});
    const { storeRetrieverSchema } = await import(${source('core/external/stores.ts')});
    console.log(await createStore(storeRetrieverSchema.parse(${spec}), undefined, undefined).count());`;
  const environment = { ...process.env, NODE_EXTRA_CA_CERTS: own.file };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: environment,
  });
  assert.equal(stdout.trim(), '3');
});

test('PostgreSQL: "verify" refuses the certificate, too', { skip }, async (t) => {
  const { key, cert } = ownCertificate(t);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      // PostgreSQL's answer to a client that requests TLS.
      socket.write('S');
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const table = { type: 'postgres', port, database: 'd', user: 'u', table: 't', mode: 'text' };
  await assert.rejects(openStore(t, { ...table, ssl: 'verify' }).count(), UNTRUSTED);
});

test('a store is asked once its authority’s file is named', { skip }, async (t) => {
  const own = ownCertificate(t);
  assert.equal(await openStore(t, { ...(await startIndex(t, own)), caFile: own.file }).count(), 3);
});

test('a store that requests a client certificate gets it', { skip }, async (t) => {
  const own = ownCertificate(t);
  const wanted = { requestCert: true, rejectUnauthorized: true, ca: own.cert };
  const index = { ...(await startIndex(t, own, wanted)), caFile: own.file };
  await assert.rejects(openStore(t, index).count(), { id: 'retriever-failed' });
  const known = { ...index, certFile: own.file, keyFile: own.keyFile };
  assert.equal(await openStore(t, known).count(), 3);
});

test('unusable files are reported by name', { skip }, async (t) => {
  const own = ownCertificate(t);
  const index = await startIndex(t, own);
  const text = path.join(temporaryFolder(t), 'notes.txt');
  writeFileSync(text, 'no certificate');
  const cases: [object, RegExp][] = [
    [{ caFile: `${own.file}.absent` }, /cert\.pem\.absent cannot be read: no such file/],
    [{ caFile: text }, /notes\.txt has neither a certificate nor a key in PEM/],
    [
      { certFile: own.file, keyFile: ownCertificate(t).keyFile },
      /key\.pem: no encrypted connection can be made/,
    ],
  ];
  for (const [files, message] of cases)
    await assert.rejects(openStore(t, { ...index, ...files }).count(), { id: 'bad-file', message });
  const plain = { type: 'qdrant', collection: 'c', embedder: 'hashing', caFile: own.file };
  await assert.rejects(openStore(t, plain).count(), {
    id: 'retriever-failed',
    message: /is asked without encryption: write https:\/\//,
  });
});
