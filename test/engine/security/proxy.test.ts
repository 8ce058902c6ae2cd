/** A proxy from the environment, for the command line and for the engine that the editor starts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { proxyEnvironment } from '../../../src/features/web-corpus/core/proxy-environment.ts';

const OUTGOING = pathToFileURL(path.resolve('src/engine/network/outgoing.ts')).href;
/** Sends one request through the HTTP client, and returns the result. */
const ASKING = `
  const { outgoingFetch } = await import(${JSON.stringify(OUTGOING)});
  const answer = await outgoingFetch({ maxBytes: 1000 })(process.argv[1]).catch((error) => ({ text: () => 'failed: ' + error.cause }));
  console.log(await answer.text());
`;

interface Proxy {
  readonly url: string;
  /** The requested addresses. */
  readonly asked: string[];
}

async function listening(t: TestContext, server: ReturnType<typeof createServer>): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => open.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Connects every tunnel to one server, as if all names were its names. */
async function startProxy(t: TestContext, target: number): Promise<Proxy> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    response.end('by the proxy');
  });
  server.on('connect', (request, socket) => {
    asked.push(request.url!);
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return { url: `http://127.0.0.1:${await listening(t, server)}`, asked };
}

async function ask(url: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', ASKING, url], {
    env: { ...proxyEnvironment(env) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(child, 'close');
  return said.trim();
}

test('requests use the environment’s proxy, except to this machine and to NO_PROXY', async (t) => {
  const target = await listening(
    t,
    createServer((_, response) => response.end('by the endpoint')),
  );
  const proxy = await startProxy(t, target);
  const env = { PATH: process.env['PATH'], HTTP_PROXY: proxy.url };
  assert.match(await ask('http://models.example/v1', env), /^by the (?:endpoint|proxy)$/u);
  assert.equal(proxy.asked.length, 1);
  assert.match(proxy.asked[0]!, /models\.example/u);
  assert.equal(await ask(`http://127.0.0.1:${target}/v1`, env), 'by the endpoint');
  // A name that never resolves, as its standard guarantees.
  assert.match(await ask('http://models.invalid/v1', { ...env, NO_PROXY: '.invalid' }), /^failed: /u);
  assert.equal(proxy.asked.length, 1, 'and nothing else');
});
