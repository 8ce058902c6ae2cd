/** The real `parallax mcp-proxy` between a client and a server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parseRetrieved } from '../../../src/core/formats/retrieved.ts';
import { StreamLines } from '../../../src/core/text/stream-lines.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const CLI = path.resolve('dist/cli.js');
const SDK = path.resolve('node_modules/@modelcontextprotocol/sdk/dist/esm/server');

/** A server of the SDK with a search and another tool. */
const SERVER = `
  import { McpServer } from ${JSON.stringify(`${SDK}/mcp.js`)};
  import { StdioServerTransport } from ${JSON.stringify(`${SDK}/stdio.js`)};
  import * as z from ${JSON.stringify(path.resolve('node_modules/zod/index.js'))};
  const server = new McpServer({ name: 'papers', version: '1' });
  const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  server.registerTool('find', { inputSchema: { query: z.string() } }, async ({ query }) =>
    text([{ id: 'a', text: 'Trams – quiet.', score: 2 }, { id: 'b', text: query }]));
  server.registerTool('time', { inputSchema: {} }, async () => text({ now: 1 }));
  await server.connect(new StdioServerTransport());
`;

test('a client sees the server as without the proxy, and its searches are in a file that is a run', async (t) => {
  const folder = temporaryFolder(t);
  const server = path.join(folder, 'server.mjs');
  await writeFile(server, SERVER);
  const to = path.join(folder, 'captured.jsonl');
  const direct = [server];
  const proxied = [CLI, 'mcp-proxy', '--to', to, '--', process.execPath, server];
  const answers: unknown[] = [];
  for (const args of [direct, proxied]) {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }));
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const search = (query: string): Promise<unknown> =>
      client.callTool({ name: 'find', arguments: { query }, _meta: { traceparent } });
    answers.push([
      client.getServerVersion(),
      await client.listTools(),
      // Both at once.
      await Promise.all([search('Trams?'), search('Noise?')]),
      await client.callTool({ name: 'time', arguments: {} }),
    ]);
    await client.close();
  }
  assert.deepEqual(answers[1], answers[0]);
  const text = await readFile(to, 'utf8');
  const { byText } = parseRetrieved(text, 'captured.jsonl');
  assert.deepEqual([...byText.keys()].toSorted(), ['Noise?', 'Trams?']);
  assert.deepEqual(
    byText.get('Trams?')!.map(({ id, text: passage }) => [id, passage]),
    [
      ['a', 'Trams – quiet.'],
      ['b', 'Trams?'],
    ],
  );
  const [first] = text.split('\n').map((line) => JSON.parse(line || '{}') as Record<string, unknown>);
  assert.deepEqual([first!['service'], first!['run']], ['papers', 'ab'.repeat(16)]);
});

test('bytes pass unchanged in both directions, whatever they are, and the exit code with them', async (t) => {
  const folder = temporaryFolder(t);
  const odd = Buffer.concat([
    Buffer.from('{"id":1,  "result":{"content":[]}}\r\nno JSON – ü\n\n[]\n'),
    Buffer.from([0xff, 0x00, 0xfe]),
    Buffer.from('x'.repeat(300_000)),
  ]);
  const echo = "process.stdin.on('end', () => (process.exitCode = 7)).pipe(process.stdout)";
  const to = path.join(folder, 'none.jsonl');
  const argv = [CLI, 'mcp-proxy', '--to', to, '--', process.execPath, '--eval', echo];
  const proxy = spawn(process.execPath, argv, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(proxy, 'close');
  proxy.stdin.end(odd);
  const out = await buffer(proxy.stdout);
  assert.ok(out.equals(odd));
  assert.deepEqual((await closed)[0], 7);
  assert.equal(existsSync(to), false);
});

test('what cannot be read as a search is passed on, too', async (t) => {
  const folder = temporaryFolder(t);
  const deep = `{"id":1,"result":{"content":[],"structuredContent":${'['.repeat(100_000)}${']'.repeat(100_000)}}}\n`;
  await writeFile(path.join(folder, 'answer'), deep);
  const answer =
    "process.stdin.once('data', () => process.stdout.write(require('fs').readFileSync('answer')))";
  const argv = [CLI, 'mcp-proxy', '--to', 'none.jsonl', '--', process.execPath, '--eval', answer];
  const proxy = spawn(process.execPath, argv, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(proxy, 'close');
  const params = { name: 'find', arguments: { query: 'Trams?' } };
  proxy.stdin.end(`${JSON.stringify({ id: 1, method: 'tools/call', params })}\n`);
  assert.equal(String(await buffer(proxy.stdout)), deep);
  assert.equal((await closed)[0], 0);
});

test('lines are complete however the bytes are cut', () => {
  const bytes = new TextEncoder().encode('{"a":"ü"}\n{}\nrest');
  for (let size = 1; size < bytes.length; size++) {
    const lines = new StreamLines(32 * 1024 * 1024);
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...lines.take(bytes.subarray(at, at + size)));
    assert.deepEqual(found, ['{"a":"ü"}', '{}']);
  }
});

test('a long line costs no more for each byte than a short one, and one that is too long is left out', () => {
  const chunk = new Uint8Array(4096).fill(120);
  const end = new TextEncoder().encode('\n{}\n');
  const linesAfter = (chunks: number): number[] => {
    const lines = new StreamLines(32 * 1024 * 1024);
    const whole = Array.from({ length: chunks }, () => lines.take(chunk)).flat();
    return [...whole, ...lines.take(end)].map(({ length }) => length);
  };
  const before = process.cpuUsage();
  assert.deepEqual(linesAfter(6000), [6000 * 4096, 2]);
  assert.deepEqual(linesAfter(9000), [2]);
  assert.ok(process.cpuUsage(before).user < 5_000_000);
});

test(
  'a server that keeps writing ends with its client',
  { skip: process.platform === 'win32', timeout: 60_000 },
  async (t) => {
    const folder = temporaryFolder(t);
    const flood = "const write = () => process.stdout.write('x\\n'.repeat(1000), write); write();";
    const argv = [CLI, 'mcp-proxy', '--to', 'none.jsonl', '--', process.execPath, '--eval', flood];
    const proxy = spawn(process.execPath, argv, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    t.after(() => proxy.kill());
    const closed = once(proxy, 'close');
    await once(proxy.stdout, 'data');
    proxy.stdout.destroy();
    proxy.stdin.end();
    assert.notEqual((await closed)[0], 0);
  },
);

test('nothing is added to a file with other content', async (t) => {
  const folder = temporaryFolder(t);
  const to = path.join(folder, 'questions.jsonl');
  await writeFile(to, '{"_id":"a","text":"Trams?"}\n');
  const server = path.join(folder, 'server.mjs');
  await writeFile(server, SERVER);
  const client = new Client({ name: 'test', version: '1' });
  const args = [CLI, 'mcp-proxy', '--to', to, '--', process.execPath, server];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'ignore' }),
  );
  const { content } = await client.callTool({ name: 'find', arguments: { query: 'Noise?' } });
  await client.close();
  assert.match(JSON.stringify(content), /Noise\?/u);
  assert.equal(await readFile(to, 'utf8'), '{"_id":"a","text":"Trams?"}\n');
});
