/** Servers that are killed while an agent's tools write. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { cp } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const EVAL_SET = 'eval/killed.parallax.jsonl';
const LABELS = '.parallax/judgements.jsonl';
/** Numbers of answers after which the server is killed, in the middle of the following calls. */
const KILLS = [1, 3, 8];
const CALLS = 24;

interface Server {
  readonly pid: number;
  call(name: string, input: object): Promise<{ readonly failed: boolean; readonly text: string }>;
  close(): Promise<void>;
}

async function serve(t: TestContext, folder: string): Promise<Server> {
  const client = new Client({ name: 'killed-agent', version: '1' });
  const args = [path.resolve('dist/cli.js'), 'mcp', '--config', path.join(folder, 'parallax.json')];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
  await client.connect(transport);
  t.after(() => client.close());
  return {
    pid: transport.pid!,
    close: () => client.close(),
    call: async (name, input) => {
      const { content, isError } = await client.callTool({ name, arguments: { ...input } });
      const [part] = content as [{ readonly text: string }];
      return { failed: isError === true, text: part.text };
    },
  };
}

async function sample(t: TestContext): Promise<string> {
  const folder = path.join(temporaryFolder(t), 'sample');
  await cp('media/sample', folder, { recursive: true });
  return folder;
}

const questionOf = (number: number): string => `Question ${number}?`;

/** Makes all calls at once, and kills the server after some answers. @returns the numbers of answered calls */
async function killed(
  server: Server,
  after: number,
  call: (number: number) => Promise<unknown>,
): Promise<number[]> {
  const answered: number[] = [];
  await Promise.allSettled(
    Array.from({ length: CALLS }, async (_, number) => {
      await call(number);
      answered.push(number);
      if (answered.length === after) process.kill(server.pid, 'SIGKILL');
    }),
  );
  assert.ok(
    answered.length >= after && answered.length < CALLS,
    `${answered.length} of ${CALLS} were answered`,
  );
  return answered;
}

test('labels that a killed server has confirmed are kept, and the next server goes on', async (t) => {
  for (const after of KILLS) {
    const folder = await sample(t);
    const first = await serve(t, folder);
    const found = await first.call('search', { query: 'Should we work remotely?', pipeline: 'bm25' });
    const [{ id }] = (JSON.parse(found.text) as { passages: [{ id: string }] }).passages;
    const labelled = (server: Server, number: number): ReturnType<Server['call']> =>
      server.call('label', {
        questions: [
          {
            query: questionOf(number),
            // A verdict on a statement counts for every question that has it.
            perspectives: [`It saves ${number} hours.`],
            labels: [{ passage: id, supports: [] }],
          },
        ],
      });
    const answered = await killed(first, after, (number) => labelled(first, number));
    const queries = async (): Promise<Set<unknown>> => {
      const lines = (await readFile(path.join(folder, LABELS), 'utf8')).split('\n');
      const records = lines
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { query?: string; queryText?: string });
      return new Set(records.map(({ query, queryText }) => queryText ?? query));
    };
    const second = await serve(t, folder);
    const { failed, text } = await labelled(second, CALLS);
    assert.ok(!failed, text);
    const known = await queries();
    for (const number of [...answered, CALLS]) assert.ok(known.has(questionOf(number)), questionOf(number));
    await second.close();
  }
});

test('an eval set that a killed server was writing is whole', async (t) => {
  for (const after of KILLS) {
    const folder = await sample(t);
    const first = await serve(t, folder);
    const saved = (server: Server, number: number): ReturnType<Server['call']> =>
      server.call('save_eval_set', {
        evalSet: 'killed',
        questions: [{ query: questionOf(number), perspectives: ['It saves hours.'] }],
      });
    const answered = await killed(first, after, (number) => saved(first, number));
    const second = await serve(t, folder);
    const { failed, text } = await saved(second, CALLS);
    assert.ok(!failed, text);
    const { queries } = parseEvalSet(await readFile(path.join(folder, EVAL_SET), 'utf8'), EVAL_SET);
    const known = new Set(queries.map((query) => query.text));
    for (const number of [...answered, CALLS]) assert.ok(known.has(questionOf(number)), questionOf(number));
    await second.close();
  }
});
