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
