/** Stores behind TLS whose certificate an authority of one's own issued, on loopback. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { openStore } from './support.ts';

interface Certificate {
  /** Path of the certificate, which vouches for itself. */
  readonly file: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

const skip = hasOpenSsl() ? false : 'cannot run here: openssl is absent';

function hasOpenSsl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function certificate(t: TestContext): Certificate {
  const folder = temporaryFolder(t);
  const [file, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const about = ['-days', '2', '-subj', '/CN=loopback', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', key, '-out', file];
  execFileSync('openssl', ['req', '-x509', ...made, ...about, ...files], { stdio: 'ignore' });
  return { file, key: readFileSync(key), cert: readFileSync(file) };
}

/** An index that holds three records, and how it is asked. */
async function startIndex(t: TestContext, { key, cert }: Certificate): Promise<object> {
  const answer = JSON.stringify({ namespaces: { '': { vectorCount: 3 } }, dimension: 384 });
  const server = createHttpsServer({ key, cert }, (_, response) => response.end(answer));
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
  message:
    /shows a certificate that is not trusted here \(self-signed certificate\); .*NODE_EXTRA_CA_CERTS\.$/,
};

test('a certificate that nobody vouches for is refused, and it is said what to do', { skip }, async (t) => {
  await assert.rejects(openStore(t, await startIndex(t, certificate(t))).count(), UNTRUSTED);
});

test('a store is asked once its authority is named', { skip }, async (t) => {
  const own = certificate(t);
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

test('PostgreSQL: "verify" refuses it as well', { skip }, async (t) => {
  const { key, cert } = certificate(t);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      // What a server says to a client that asks for TLS.
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
