/**
 * Pasted text and data of other programs: connection strings, certificates, spans over gRPC, the event and the comments
 * of a pull request.
 */
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { findForge } from '../../src/features/gate/cli/pull-request/find-forge.ts';
import { keepComment } from '../../src/features/gate/cli/pull-request/keep-comment.ts';
import { endpointUrl } from '../../src/core/external/endpoint-url.ts';
import { storeRetrieverSchema } from '../../src/core/external/stores.ts';
import { startSpanReceiver, type SpanReceiver } from '../../src/features/capture/engine/span-receiver.ts';
import { postgresAddress } from '../../src/engine/external/stores/postgres/postgres-address.ts';
import { readTlsFiles } from '../../src/engine/external/stores/tls-files.ts';
import { ParallaxError } from '../../src/core/errors.ts';
import { mayHoldSecret, shownAddress } from '../../src/core/text/address-secrets.ts';
import { TOKEN_HEADER } from '../../src/features/capture/contract/environment.ts';
import { answering, partsAt } from './answering-server.ts';
import { bytesOf, takes, textOf, type FuzzedBytes } from './fuzzed-bytes.ts';
import { bytesLike, CUT, inputsLike } from './inputs.ts';

const FOLDER = mkdtempSync(path.join(tmpdir(), 'parallax-fuzz-outside-'));
process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

const PASSWORD = 'S3cret-word';
const CONNECTIONS = [
  `postgresql://kim:${PASSWORD}@db.example:6543/places?sslmode=verify-full&options=-c%20search_path%3Da`,
  `postgres://kim:${PASSWORD}@%2Fvar%2Frun%2Fpostgresql/places`,
  `postgresql://[::1]:5432/places?user=kim&password=${PASSWORD}&sslrootcert=/ca.pem&sslcert=/c.pem&sslkey=/k.pem`,
];
const SPEC = { type: 'postgres', database: 'places', user: 'kim', table: 'passages', embedder: 'hashing' };

/** Shown texts: the place of the store, and why it is unreachable. They never contain the password. */
const connections: FuzzedBytes = {
  name: 'connection string of PostgreSQL',
  examples: CONNECTIONS,
  cost: 1,
  survives: (text) =>
    takes(() => {
      const spec = storeRetrieverSchema.parse(SPEC);
      assert.ok(spec.type === 'postgres');
      try {
        const { host, port, database, ssl, password } = postgresAddress(spec, text);
        if (/^postgres(?:ql)?:\/\//u.test(text))
          assert.ok(!password || mayHoldSecret(text), 'a password that nobody sees');
        assert.equal(typeof host, 'string');
        assert.ok(!Number.isNaN(port), 'a port that is no number');
        assert.ok(['off', 'encrypt', 'verify'].includes(ssl), ssl);
        assert.ok(database === undefined || typeof database === 'string');
        return true;
      } catch (error) {
        if (ParallaxError.is(error)) assert.ok(!error.message.includes(PASSWORD), error.message);
        throw error;
      }
    }),
};

const ADDRESSES = [
  `https://kim:${PASSWORD}@api.example:8443/v1?api-key=${PASSWORD}#${PASSWORD}`,
  'http://127.0.0.1:8000/v1/search?q={query}&k={k}',
  `postgres://us@er:${PASSWORD}@db.example/places?password=${PASSWORD}`,
];

/** A configured address has no user, and a shown one has no user or parameters, as a client reads them. */
const addresses: FuzzedBytes = {
  name: 'address of a server',
  examples: ADDRESSES,
  cost: 1,
  survives: (text) =>
    takes(() => {
      const shown = shownAddress(text);
      if (!URL.canParse(text)) return false;
      if (endpointUrl.safeParse(text).success) assert.equal(userOf(text), '', text);
      if (/^https?:/iu.test(text)) {
        assert.ok(!URL.canParse(shown) || userOf(shown) === '', shown);
        assert.ok(userOf(text) === '' || mayHoldSecret(text), text);
      }
      return true;
    }),
};

function userOf(address: string): string {
  const { username, password } = new URL(address);
  return username === '' ? password : username;
}

/** Made from a public number, so that every run has the same key. */
const KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
})
  .export({ format: 'pem', type: 'pkcs8' })
  .toString();

/** Self-signed; its key was discarded. */
const PEM = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBfDCCASGgAwIBAgIURPyonzzGTLYeLuW6a7h/S9N/mDMwCgYIKoZIzj0EAwIw',
  'EzERMA8GA1UEAwwIbG9vcGJhY2swHhcNMjYxMTI0MDYyODA1WhcNMzYxMTIxMDYy',
  'ODA1WjATMREwDwYDVQQDDAhsb29wYmFjazBZMBMGByqGSM49AgEGCCqGSM49AwEH',
  'A0IABOxPHRWqiRFNH8hy9nmIBCen1YueOV6ow+VO45oEH7bSZxVeEvB3IqEu/q8k',
  '5oZLXgjXp+IZeC87rwbX5Pk3qrGjUzBRMB0GA1UdDgQWBBRimejyG2xa9RbeoIsl',
  'qxpXnkmjZzAfBgNVHSMEGDAWgBRimejyG2xa9RbeoIslqxpXnkmjZzAPBgNVHRMB',
  'Af8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDZjtT5C2Cutd5kL4nEIwn+q+mn',
  'FuG4jCOqx2vE8EV0RAIhALbEJgTCUF3JhH7B1JQaIPwKsD9U+buRsC2h5N8xNMYo',
  '-----END CERTIFICATE-----',
].join('\n');

const certificates: FuzzedBytes = {
  name: 'certificates of a store',
  examples: [PEM],
  inputs: fc.oneof(
    inputsLike([PEM]),
    bytesLike([PEM]),
    // The client's certificate and key.
    fc.tuple(inputsLike([PEM]), inputsLike([KEY])).map((files) => files.join(CUT)),
    fc.tuple(fc.constant(PEM), bytesLike([KEY])).map((files) => files.join(CUT)),
  ),
  cost: 3,
  survives: (text) =>
    takes(async () => {
      const [one, other] = text.split(CUT).map((part, place) => {
        const file = path.join(FOLDER, `${place}.pem`);
        writeFileSync(file, bytesOf(part));
        return file;
      });
      const isClients = other !== undefined;
      await readTlsFiles(isClients ? { certFile: one, keyFile: other } : { caFile: one });
    }),
};

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** An empty request, one with an unknown field, and a compressed one. */
const FRAMES = [[], [120, 1], gzipSync(Uint8Array.of(120, 1))].map((bytes, packed) =>
  textOf(Uint8Array.of(Number(packed === 2), 0, 0, 0, bytes.length, ...bytes)),
);
let receiver: Promise<SpanReceiver> | undefined;
let session: ClientHttp2Session | undefined;

function startReceiver(): Promise<SpanReceiver> {
  receiver ??= startSpanReceiver({
    port: 0,
    onRetrieval: () => undefined,
    onUnused: () => undefined,
    onRefused: () => undefined,
    log: () => undefined,
  });
  return receiver;
}

/** @returns gRPC's code. `undefined` for a request that ended without an answer. */
async function sent(body: Uint8Array): Promise<string | undefined> {
  const { port, token } = await startReceiver();
  if (!session || session.destroyed) {
    session = connect(`http://127.0.0.1:${port}`);
    session.on('error', () => undefined);
  }
  const stream = session.request({
    ':method': 'POST',
    ':path': EXPORT,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-encoding': 'gzip',
    [TOKEN_HEADER]: token,
  });
  let code: string | undefined;
  const look = (headers: IncomingHttpHeaders): void => {
    const said = headers['grpc-status'];
    if (typeof said === 'string') code = said;
  };
  stream
    .on('response', look)
    .on('trailers', look)
    .on('error', () => undefined);
  stream.resume().end(body);
  await once(stream, 'close');
  return code;
}

const grpc: FuzzedBytes = {
  name: 'spans over gRPC',
  examples: FRAMES,
  inputs: bytesLike(FRAMES),
  cost: 4,
  // Accepted, malformed or too large: never another code or none.
  survives: async (text) => {
    const code = await sent(bytesOf(text));
    assert.ok(code === '0' || code === '3' || code === '8', `the code of gRPC is ${code}`);
    return code === '0';
  },
  close: async () => {
    session?.destroy();
    await (await receiver)?.close();
    [session, receiver] = [undefined, undefined];
  },
};

const EVENT = JSON.stringify({ pull_request: { number: 7, head: { sha: 'abc' } }, repository: { id: 1 } });

const event: FuzzedBytes = {
  name: 'event of a pull request',
  examples: [EVENT],
  cost: 1,
  survives: (text) =>
    takes(async () => {
      const file = path.join(FOLDER, 'event.json');
      writeFileSync(file, text);
      const forge = await findForge({
        GITHUB_ACTIONS: 'true',
        GITHUB_TOKEN: 't',
        GITHUB_REPOSITORY: 'a/b',
        GITHUB_API_URL: 'https://api.example',
        GITHUB_EVENT_PATH: file,
      });
      if ('reason' in forge) return false;
      assert.match(forge.commentsUrl, /^https:\/\/api\.example\/repos\/a\/b\/issues\/-?\d+\/comments$/u);
      return true;
    }),
};

const COMMENTS = JSON.stringify([
  {
    id: 1,
    body: '<!-- parallax --> old',
    author_association: 'OWNER',
    user: { type: 'Bot' },
    author: { id: 3 },
  },
]);

const comments: FuzzedBytes = {
  name: 'comments of a pull request',
  examples: [`{"id": 3}${CUT}${COMMENTS}`],
  cost: 2,
  survives: async (text) => {
    const api = await answering(partsAt(['user', 'notes'], text));
    const forge = await findForge({
      GITLAB_CI: 'true',
      GITLAB_TOKEN: 't0ken',
      CI_API_V4_URL: api,
      CI_PROJECT_ID: '1',
      CI_MERGE_REQUEST_IID: '2',
    });
    assert.ok(!('reason' in forge));
    const { written, sentence } = await keepComment(forge, '<!-- parallax --> new', '<!-- parallax -->');
    assert.match(sentence, /^[A-Z][^]*\.$/u);
    return written;
  },
};

export const OUTSIDE_PARSERS: readonly FuzzedBytes[] = [
  connections,
  addresses,
  certificates,
  grpc,
  event,
  comments,
];
