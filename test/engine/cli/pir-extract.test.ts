/** `parallax pir --extract`, with a model on loopback that reads from a script. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { pirCommand } from '../../../src/features/papers/cli/pir-command.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { run, runJson } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const TASK = {
  corpus: ['tax left', 'tax right', 'war left', 'noise'],
  source_queries: ['tax', 'tax', 'war'],
  perspectives: ['left', 'right', 'left'],
  queries: ['tax left', 'tax right', 'war left'],
  query_labels: ['L', 'R', 'L'],
  key_ref: { 0: [0], 1: [1], 2: [2] },
};

async function task(t: TestContext): Promise<string[]> {
  const folder = temporaryFolder(t);
  const server = await startModelServer({
    chat: ({ messages }) => {
      const [, root, perspective] = /\n(\w+) (\w+)\n/u.exec(messages[1]!.content)!;
      if (root === 'war') return { text: 'War? No idea.' };
      return { text: JSON.stringify({ root, perspective: perspective === 'right' ? 'left' : perspective }) };
    },
  });
  t.after(() => server.close());
  const [file, config] = [path.join(folder, 'task.json'), path.join(folder, 'parallax.json')];
  await writeFile(file, JSON.stringify(TASK));
  const judges = {
    local: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', maxRetries: 0 },
  };
  await writeFile(config, JSON.stringify({ judges }));
  return [file, '--pipeline', 'bm25', '--config', config, '--k', '1'];
}

test('agreement and recall of both as JSON, with a list of queries that were not split', async (t) => {
  const argv = await task(t);
  const { extraction } = await runJson<{ extraction: Record<string, unknown> & { unsplit: object[] } }>(
    pirCommand,
    ...argv,
    '--extract',
    'local',
  );
  const { unsplit, ...figures } = extraction;
  assert.deepEqual(figures, {
    // "left" is extracted as annotated, "right" is missed, "war left" is not split.
    tokenF1: 1 / 3,
    intersectionOverUnion: 1 / 3,
    annotated: { 'pRecall@1': 1, 'recall@1': 1 },
    // The query for the right now looks for the left. "war left" is searched unchanged.
    extracted: { 'pRecall@1': 3 / 4, 'recall@1': 2 / 3 },
  });
  assert.equal(unsplit.length, 1);
  assert.deepEqual((unsplit[0] as { queryId: string }).queryId, '2');
});

test('the table names both measures and every query that was not split', async (t) => {
  const { stdout } = await run(pirCommand, ...(await task(t)), '--extract', 'local');
  assert.match(stdout, /token F1 33\.3.*intersection over union 33\.3/u);
  assert.match(stdout, /p-Recall@1, annotated +extracted/u);
  assert.match(stdout, /as a whole[^]*: 1\n {2}query 2: .*"war left"/u);
});

test('without --extract no model is asked or mentioned', async (t) => {
  const argv = await task(t);
  assert.equal('extraction' in (await runJson<object>(pirCommand, ...argv)), false);
  await assert.rejects(
    run(pirCommand, ...argv, '--extract', 'nobody'),
    (error) => ParallaxError.is(error) && /no judge "nobody"/u.test(error.message),
  );
});
