/** A pipeline that cannot run fails alone: the others have figures, and the exit code reports it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { closedPort } from '../external/stores/support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { workspace } from './gate-support.ts';
import { files, inputs, run, topics } from './support.ts';

interface Report {
  readonly pipelines: readonly { readonly name: string; readonly metrics: Record<string, number> }[];
  readonly failed?: readonly { readonly name: string; readonly error: string }[];
  readonly comparisons: readonly { readonly pipeline: string; readonly baseline: string }[];
}

const folder = temporaryFolder({ after });
await writeFile(path.join(folder, 'other.run'), 'q99 Q0 a1 1 1.0 other\n');
const FAILURES = [
  {
    name: 'down',
    said: /Chroma at http:\/\/127\.0\.0\.1:\d+ could not be reached: .*ECONNREFUSED/,
    retriever: {
      type: 'chroma',
      url: `http://127.0.0.1:${await closedPort()}`,
      collection: 'c',
      embedder: 'hashing',
    },
  },
  {
    name: 'clientless',
    said: /run "npm install @lancedb\/lancedb" there/,
    retriever: { type: 'lancedb', uri: 'nowhere', table: 't', mode: 'bm25', client: folder },
  },
  {
    name: 'elsewhere',
    said: /other\.run has no results for the query q\d/,
    retriever: { type: 'run', file: path.join(folder, 'other.run') },
  },
];

describe('eval', () => {
  for (const { name, said, retriever } of FAILURES)
    test(`names "${name}" and gives the figures of the others`, async (t) => {
      const places = await files(t, topics(6));
      const pipelines = [
        'bm25',
        JSON.stringify({ name, retriever }),
        '{"name":"twin","retriever":{"type":"bm25"}}',
      ];
      const argv = [
        ...inputs(places),
        ...pipelines.flatMap((pipeline) => ['--pipeline', pipeline]),
        '--k',
        '2',
      ];
      const { code, stdout, stderr } = await run(evalCommand, ...argv, '--json', '-');
      const report = JSON.parse(stdout) as Report;
      assert.equal(code, 1);
      assert.deepEqual(
        report.pipelines.map((own) => [own.name, own.metrics['MRecall@2']]),
        [
          ['bm25', 0],
          ['twin', 0],
        ],
      );
      assert.deepEqual(
        report.failed?.map((own) => own.name),
        [name],
      );
      assert.match(report.failed[0]!.error, said);
      assert.match(stderr, new RegExp(`^warning: ${name} could not be run: `, 'mu'));
      assert.ok(
        report.comparisons.every(({ pipeline, baseline }) => pipeline === 'twin' && baseline === 'bm25'),
      );
    });

  test('says why there are no differences if the baseline pipeline failed', async (t) => {
    const places = await files(t, topics(3));
    const [down] = FAILURES;
    const failing = JSON.stringify({ name: 'down', retriever: down!.retriever });
    const pipelines = [failing, 'bm25', '{"name":"twin","retriever":{"type":"bm25"}}'];
    const argv = pipelines.flatMap((pipeline) => ['--pipeline', pipeline]);
    const { code, stdout } = await run(evalCommand, ...inputs(places), ...argv, '--k', '2');
    assert.equal(code, 1);
    assert.match(stdout, /^Not run: down\. .*Chroma at /mu);
    assert.match(stdout, /^No differences: down, which the others are compared to, could not be run\./mu);
  });

  test('ends with the error if all pipelines failed', async (t) => {
    const places = await files(t, topics(3));
    const failing = FAILURES.map(({ name, retriever }) => JSON.stringify({ name, retriever }));
    const argv = failing.flatMap((pipeline) => ['--pipeline', pipeline]);
    await assert.rejects(run(evalCommand, ...inputs(places), ...argv), { message: FAILURES[0]!.said });
  });
});

describe('gate', () => {
  for (const { name, said, retriever } of FAILURES)
    test(`is not evaluated if "${name}" fails, shows the others, and accepts no baseline`, async (t) => {
      const mine = { retriever: { type: 'bm25' }, rerank: [{ type: 'coverage' }], k: 2 };
      const own = await workspace(t, 4, { thresholds: [{ metric: 'MRecall@2', min: 0.5 }] });
      await own.configure({
        pipelines: { mine, [name]: { retriever } },
        gate: { pipelines: ['mine', name], k: 2, thresholds: [{ metric: 'MRecall@2', min: 0.5 }] },
      });
      const report = await own.report();
      assert.deepEqual([report.code, report.outcome], [3, 'not-evaluated']);
      const [dataset] = report.datasets;
      assert.deepEqual(
        dataset!.pipelines.map((each) => [each.name, each.metrics['MRecall@2']]),
        [['mine', 1]],
      );
      const [gap] = dataset!.gaps!;
      const prefix = `"${name}" could not be run: `;
      assert.ok(gap!.startsWith(prefix), gap);
      assert.match(gap!.slice(prefix.length), said);
      const accepted = await own.gate('--accept');
      assert.equal(accepted.code, 3);
      assert.match(accepted.stderr, /not accepted as a baseline: questions: "/);
    });
});
