/** Node programs that retrieve more than Parallax accepts, or after it has ended, run unchanged. */
import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { LiveEvent } from '../../../src/features/live/contract/requests.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { observe, PACKAGES } from './observed-program.ts';

const retrievals = (events: readonly LiveEvent[]) => events.filter((event) => event.type === 'retrieval');

test('an answer of 50 MB is cut and marked, and later retrievals arrive', async () => {
  const app = `
import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
store.similaritySearch = async (query) => query === 'large'
  ? Array.from({ length: 250 }, (_, n) => ({ pageContent: String(n).repeat(100_000).slice(0, 200_000), metadata: { own: 'y'.repeat(100_000) } }))
  : [{ pageContent: 'A small passage, which is read.', metadata: {} }];
console.log((await store.similaritySearch('large', 250)).length);
console.log((await store.similaritySearch('small', 1)).length);
`;
  const { plain, observed, events } = await observe({ ...PACKAGES, 'app.mjs': app }, { run: ['app.mjs'] });
  assert.deepEqual(observed, plain);
  assert.deepEqual(
    retrievals(events).map(({ question, passages, none }) => [question, passages.length, none]),
    [
      ['large', 0, 'other'],
      ['small', 1, undefined],
    ],
  );
  assert.equal(events.filter(({ type }) => type === 'unreadable').length, 0);
});

test('once Parallax has ended, nothing is sent to another listener on its port', async (t) => {
  const folder = temporaryFolder(t);
  let connections = 0;
  const server = createServer((socket) => void (connections++, socket.destroy()));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as { readonly port: number };
  mkdirSync(path.join(folder, 'spool'));
  const hooks = pathToFileURL(path.resolve('media/live/node/connection.mjs')).href;
  const tell = async (owner: number): Promise<void> => {
    const plan = { port, token: 'x'.repeat(32), spool: path.join(folder, 'spool'), owner };
    const program = path.join(folder, `program-${owner}.mjs`);
    writeFileSync(
      program,
      `import { Connection } from ${JSON.stringify(hooks)};
const connection = new Connection(${JSON.stringify(plan)}, () => undefined, () => []);
connection.tell({ type: 'measured', site: 'a' });
setInterval(() => connection.isOver && process.exit(0), 5);
`,
    );
    await promisify(execFile)(process.execPath, [program]);
  };
  await tell(endedProcess());
  assert.equal(connections, 0);
  await tell(process.pid);
  assert.equal(connections, 1);
});

function endedProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

for (const [what, value] of [
  [
    'more characters than a text can have',
    'Array.from({ length: 200 }, () => ({ pageContent: "a", metadata }))',
  ],
  [
    'a map of two million entries',
    'new Map(Array.from({ length: 2_000_000 }, (_, n) => [String(n), "text"]))',
  ],
])
  test(`an answer of ${what} does not hold the program, and counts as a retrieval`, async () => {
    const app = `
import { MemoryVectorStore } from '@langchain/core/vectorstores';
const text = 'x'.repeat(100_000);
const metadata = Object.fromEntries(Array.from({ length: 200 }, (_, n) => ['field' + n, text]));
const value = ${value};
const store = new MemoryVectorStore();
store.similaritySearch = async () => value;
const begin = performance.now();
await store.similaritySearch('large', 250);
console.log(performance.now() - begin < 1000);
`;
    const { plain, observed, events } = await observe({ ...PACKAGES, 'app.mjs': app }, { run: ['app.mjs'] });
    assert.deepEqual(observed, plain);
    assert.equal(observed.stdout, 'true\n');
    assert.equal(retrievals(events).length, 1);
  });

test('calls that fail in a loop are sampled like others, and counted', async () => {
  const app = `
import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
store.similaritySearch = async () => { throw new Error('down'); };
for (let n = 0; n < 3000; n++) await store.similaritySearch('q', 1).catch(() => undefined);
`;
  const { events } = await observe({ ...PACKAGES, 'app.mjs': app }, { run: ['app.mjs'] });
  const failed = events.filter(({ type }) => type === 'failed-call').length;
  const dropped = events.flatMap((event) => (event.type === 'dropped' ? [event.count] : []));
  assert.ok(failed <= 200, `${failed} were sent`);
  assert.equal(failed + dropped.reduce((sum, count) => sum + count, 0), 3000);
});
