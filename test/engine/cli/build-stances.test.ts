/** `parallax build stances`, with a model on loopback that reads from a script. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { buildCommand } from '../../../src/features/building/cli/build-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { startModelServer, type ModelServer } from '../../fixtures/model-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { lines, run } from './support.ts';

const QUERIES = lines([
  {
    id: 'q1',
    text: 'Should trams run at night?',
    perspectives: ['Yes, workers need them.', 'No, they are loud.'],
  },
  {
    id: 'q2',
    text: 'Is the harbour safe?',
    note: 'kept as it is',
    perspectives: [
      { id: 'a', text: 'It is.', stance: 'support', stanceBy: 'human' },
      { id: 'b', text: 'Who knows.' },
    ],
  },
  { id: 'q3', text: 'Done?', perspectives: [{ id: 'a', text: 'It is.', stance: 'support' }] },
  { id: 'q4', text: 'Mumbled?', perspectives: ['One.'] },
]);

interface Place {
  readonly argv: string[];
  readonly file: string;
  readonly out: string;
  readonly server: ModelServer;
}

async function place(t: TestContext): Promise<Place> {
  const folder = temporaryFolder(t);
  const server = await startModelServer({
    chat: ({ messages }) => {
      const text = messages[1]!.content;
      if (text.includes('Mumbled')) return { text: 'Hm.' };
      return { text: JSON.stringify({ 1: 'support', 2: text.includes('Who knows') ? 'neither' : 'oppose' }) };
    },
  });
  t.after(() => server.close());
  const [file, config, out] = ['queries.jsonl', 'parallax.json', 'sided.jsonl'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  await writeFile(file, QUERIES);
  const local = { type: 'openai', baseUrl: server.url, model: 'scripted', maxRetries: 0 };
  await writeFile(config, JSON.stringify({ judges: { local } }));
  const argv = ['stances', '--queries', file, '--generator', 'local', '--out', out, '--config', config];
  return { argv, file, out, server };
}

test('missing stances are proposed into another file as a model’s, and the rest stays unchanged', async (t) => {
  const { argv, file, out, server } = await place(t);
  const { code, stdout, stderr } = await run(buildCommand, ...argv);
  assert.match(stderr, /^Requests to local: 3, one for each question with an open stance\.$/mu);
  assert.equal(server.chatRequests.length, 3);
  assert.equal(await readFile(file, 'utf8'), QUERIES);
  const [q1, q2, q3, q4] = (await readFile(out, 'utf8')).split('\n');
  assert.deepEqual((JSON.parse(q1!) as { perspectives: unknown }).perspectives, [
    { text: 'Yes, workers need them.', stance: 'support', stanceBy: 'model' },
    { text: 'No, they are loud.', stance: 'oppose', stanceBy: 'model' },
  ]);
  assert.deepEqual(
    [q2, q3, q4],
    QUERIES.split('\n').slice(1, 4),
    'no side, a stance that was there, no answer',
  );
  assert.match(stdout, /^q1 +support +Yes, workers need them\. *$/mu);
  assert.match(stdout, /^q2 +no side +Who knows\. *$/mu);
  assert.match(stdout, /^q4: .*did not give the sides/mu);
  assert.match(stdout, /^Stances proposed: 2; no side: 1; questions without an answer: 1\./mu);
  assert.equal(code, 1);
});

test('an unreadable answer is requested again, the others are cached', async (t) => {
  const { argv, server, out } = await place(t);
  const kept = [...argv, '--store', `${out}.store`];
  await run(buildCommand, ...kept);
  await run(buildCommand, ...kept);
  assert.equal(server.chatRequests.length, 4);
});

test('the eval set itself is not overwritten, and a generator is required', async (t) => {
  const { argv, file } = await place(t);
  const own = argv.map((word, at) => (argv[at - 1] === '--out' ? file : word));
  const refuses = (words: string[], message: RegExp): Promise<void> =>
    assert.rejects(
      run(buildCommand, ...words),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  await refuses(own, /--out is another file than --queries/u);
  await refuses(
    argv.filter((word) => word !== '--generator' && word !== 'local'),
    /--generator is missing/u,
  );
});
