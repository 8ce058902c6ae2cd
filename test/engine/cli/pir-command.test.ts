import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { pirCommand } from '../../../src/features/papers/cli/pir-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { files, run, runJson } from './support.ts';

interface Figures {
  readonly [measure: string]: unknown;
  readonly byPerspective: Record<string, number>;
  readonly rootOnly: { readonly [measure: string]: unknown; readonly shares: Record<string, number> };
}

/** Two roots: one with two perspectives, one with a single one. */
const TASK = JSON.stringify({
  corpus: ['tax left', 'tax right', 'war left', 'noise'],
  source_queries: ['tax', 'tax', 'war'],
  perspectives: ['left', 'right', 'left'],
  queries: ['tax left', 'tax noise noise', 'war left'],
  query_labels: ['L', 'R', 'L'],
  key_ref: { 0: [0], 1: [1], 2: [2] },
});

describe('one pipeline', () => {
  test('writes exactly the documented JSON, with the cutoff in the names', async (t) => {
    const { task } = await files(t, { task: TASK });
    const figures = await runJson<Figures>(pirCommand, task, '--pipeline', 'bm25', '--k', '1');
    assert.deepEqual(figures, {
      // One of two queries of root "tax" succeeds, and the only one of "war".
      'pRecall@1': 0.75,
      // A root with a single query counts 0 in the authors' code.
      'pRecallAuthors@1': 0.25,
      'recall@1': 2 / 3,
      byPerspective: { L: 1, R: 0 },
      // "tax" alone finds passage 0 first, "war" passage 2: both of them on the left.
      rootOnly: { 'recall@1': 1, shares: { L: 1, R: 0 }, passages: { L: 2, R: 0 } },
      // Passage 3, which "tax noise noise" finds, is right for nothing.
      heatMap: { L: { L: 1 }, R: {} },
    });
  });

  test('--task is the same as the argument', async (t) => {
    const { task } = await files(t, { task: TASK });
    assert.deepEqual(
      await runJson<Figures>(pirCommand, '--task', task, '--pipeline', 'bm25'),
      await runJson<Figures>(pirCommand, task, '--pipeline', 'bm25'),
    );
  });
});

test('several pipelines are a list with names', async (t) => {
  const { task } = await files(t, { task: TASK });
  const argv = [task, '--pipeline', 'bm25', '--pipeline', 'dense', '--k', '1'];
  const { pipelines } = await runJson<{ pipelines: (Figures & { name: string })[] }>(pirCommand, ...argv);
  assert.deepEqual(
    pipelines.map((each) => [each.name, each['pRecall@1'] !== undefined]),
    [
      ['bm25', true],
      ['dense', true],
    ],
  );
  const { stdout } = await run(pirCommand, ...argv);
  assert.match(stdout, /^bm25 +75\.0 +25\.0 +66\.7 +100\.0 +100\.0 +0\.0$/mu);
  assert.match(
    stdout,
    /^asked for +found +others +by roots +L +R\n─+\nL +100\.0 +0\.0 +2 +100\.0 +0\.0\nR +0\.0 +0\.0 +0 +0\.0 +0\.0$/mu,
  );
});

test('a projection gets root, perspective and full query', async (t) => {
  const { task } = await files(t, { task: TASK });
  const projected = '{"retriever":{"type":"dense"},"projection":{"method":"pap"}}';
  const figures = await runJson<Figures>(pirCommand, task, '--pipeline', projected, '--k', '2');
  assert.equal(typeof figures['pRecall@2'], 'number');
});

describe('wrong usage', () => {
  for (const [what, message, argv] of [
    ['no task', /^--task is missing\.$/u, ['--pipeline', 'bm25']],
    ['no pipeline', /^--pipeline is missing: hybrid, bm25, dense, or a pipeline as JSON\.$/u, ['x.json']],
    ['two tasks', /not also "y\.json"/u, ['x.json', 'y.json', '--pipeline', 'bm25']],
    ['the task twice', /given twice/u, ['x.json', '--task', 'x.json', '--pipeline', 'bm25']],
    ['two cutoffs', /--k takes one cutoff here, not "1,5"/u, ['x.json', '--pipeline', 'bm25', '--k', '1,5']],
  ] as const)
    test(what, () =>
      assert.rejects(
        run(pirCommand, ...argv),
        (error) => error instanceof UsageError && message.test(error.message),
      ),
    );

  test('a file that is no task is refused', async (t) => {
    const { task } = await files(t, { task: '{"corpus":["a"]}' });
    await assert.rejects(
      run(pirCommand, task, '--pipeline', 'bm25'),
      (error) => ParallaxError.is(error, 'bad-file') && /is not a PIR task: queries/u.test(error.message),
    );
  });
});

const PIR = '../shared/data/pir';
const needsPir = existsSync(PIR) ? {} : { skip: `cannot run here: ${PIR} is absent` };
const NOTEBOOK_BM25 =
  '{"retriever":{"type":"bm25","analyzer":"whitespace","variant":"okapi","k1":1.5,"b":0.75,"epsilon":0.25},"k":5}';

for (const [task, pRecall] of Object.entries({ perspectrum: 37.8, story: 66.0, ambigqa: 22.7 }))
  test(`the public sample of ${task} with the BM25 of the authors' notebook`, needsPir, async () => {
    const figures = await runJson<Figures>(
      pirCommand,
      `${PIR}/${task}.json`,
      ...['--pipeline', NOTEBOOK_BM25, '--k', '5'],
    );
    const found = Number(figures['pRecall@5']) * 100;
    assert.ok(Math.abs(found - pRecall) <= 0.1, String(found));
  });
