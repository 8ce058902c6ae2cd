/** Which questions are asked, which passages are judged, and how qrels replace labels. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { Qrels } from '../../../src/core/model.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { SNAPSHOT_MANIFEST, SNAPSHOT_PAGES } from '../../../src/features/web-corpus/core/snapshot.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import {
  figureQueries,
  questionsOf,
  requireAllRan,
  withPerspectives,
  type RanDataset,
} from '../../../src/engine/experiment/experiments.ts';
import type { PipelineRuns } from '../../../src/engine/experiment/pipeline-runs.ts';
import { BM25, context, evalQuery, Workspace } from '../compare/compare-support.ts';
import type { Progress } from '../../../src/shared/requests/progress.ts';
import type { ProgressNote } from '../../../src/shared/rpc.ts';
import { QUERY } from './support.ts';

const PLAIN = { ...QUERY, id: 'plain', perspectives: [] };
const SET = { name: 'set', corpus: 'corpus', evalSet: 'set.jsonl', queries: [QUERY, PLAIN] };

test('only questions with perspectives are asked, without further searches', () => {
  const request = { datasets: [SET], pipelines: [{ name: 'bm25', pipeline: parsePipeline(BM25) }], k: 3 };
  assert.deepEqual(questionsOf(request, undefined), {
    ...request,
    datasets: [{ ...SET, queries: [QUERY] }],
    judge: undefined,
    beyond: {},
  });
});

test('a set without perspectives has nothing to cover', () => {
  assert.deepEqual(withPerspectives(SET), { ...SET, queries: [QUERY] });
  assert.throws(() => withPerspectives({ ...SET, queries: [PLAIN] }), {
    id: 'bad-argument',
    message: /^No question of set\.jsonl has perspectives/u,
  });
});

test('pipelines that failed are not judged; if all must run, the error ends the work', () => {
  const error = new ParallaxError('bad-argument', 'It cannot be run.');
  const ran = { questions: new Map([['q', [3, 1]]]) } as unknown as PipelineRuns;
  const failed = { questions: new Map([['q', [7]]]), error } as unknown as PipelineRuns;
  const [index, labels] = [{}, {}] as unknown as [RanDataset['index'], RanDataset['labels']];
  const runs = [ran, failed];
  const found = figureQueries({
    dataset: { ...SET, queries: [QUERY, PLAIN] },
    leftOut: [],
    unanswerable: [],
    index,
    labels,
    runs,
  });
  assert.deepEqual(
    found.map(({ query, rankings, needs }) => [query.id, rankings, needs]),
    [
      ['q', [[3, 1]], { whole: [], firsts: [] }],
      ['plain', [[]], { whole: [], firsts: [] }],
    ],
  );
  requireAllRan([ran]);
  assert.throws(() => requireAllRan(runs), error);
});

test('qrels replace labels, also for a step that reads them, and are not stored', async (t) => {
  const workspace = new Workspace(t);
  await workspace.configure();
  await workspace.corpus('corpus', { a: 'dam dam', b: 'dam and more', c: 'dam and much more of it' });
  workspace.label('dam power a');
  const covering = { ...BM25, rerank: [{ type: 'coverage', judge: 'labels' }] } as const;
  const topOf = async (supporting: string): Promise<readonly [string, number, string]> => {
    const qrels: Qrels = new Map([
      [
        'dam',
        new Map([
          [
            'power',
            new Map([
              ['a', 0],
              ['b', 0],
              ['c', 0],
              [supporting, 1],
            ]),
          ],
        ]),
      ],
    ]);
    const { basis, pipelines } = await workspace.engine.experiment(
      {
        dataset: { ...SET, queries: [evalQuery('dam', 'dam', 'power')], qrels },
        pipelines: [{ name: 'covering', pipeline: parsePipeline({ ...covering, k: 1 }) }],
        ...{ k: 1, measures: ['MRecall@1'], views: ['lost' as const], pool: false, judge: 'labels' },
      },
      context,
    );
    const [{ metrics, analyses }] = pipelines as [(typeof pipelines)[number]];
    return [basis, metrics['MRecall@1']!, analyses.lost!.perQuery[0]!.perspectives[0]!.where];
  };
  assert.deepEqual(await topOf('c'), ['given', 1, 'covered']);
  assert.deepEqual(await topOf('b'), ['given', 1, 'covered']);
});

test('a question without pages is not asked, and its judgements do not count', async (t) => {
  const workspace = new Workspace(t);
  const url = 'http://p.test/dam';
  const at = '2026-01-01T00:00:00.000Z';
  const folder = path.join(workspace.folder, 'web');
  mkdirSync(folder);
  const lines = (name: string, ...records: readonly object[]): void =>
    writeFileSync(path.join(folder, name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  lines(SNAPSHOT_PAGES, { _id: url, title: '', text: 'dam dam power' });
  lines(
    SNAPSHOT_MANIFEST,
    {
      ...{ type: 'search', queryId: 'dam', query: 'dam', provider: 'searxng', wanted: 20, at },
      results: [{ rank: 1, url, title: '' }],
    },
    { type: 'page', url, finalUrl: url, status: 200, contentType: 'text/html', bytes: 1, hash: '', at },
  );
  const config = corpusSchema.parse({ roots: ['web'], perQuery: true, split: { type: 'none' } });
  const store = path.join(workspace.folder, 'storage', 'web');
  const ref = { name: 'web', base: workspace.folder, config, excludeGlobs: [], store };
  await workspace.configure({ corpora: [ref] });
  await workspace.index('web');
  const judged = new Map([['power', new Map([[url, 1]])]]);
  const { queries, leftOut, pipelines } = await workspace.engine.experiment(
    {
      dataset: {
        ...{ name: 'set', corpus: 'web', evalSet: 'set.jsonl' },
        queries: [evalQuery('dam', 'dam', 'power'), evalQuery('rain', 'rain', 'power')],
        qrels: new Map([
          ['dam', judged],
          ['rain', judged],
        ]),
      },
      pipelines: [{ name: 'bm25', pipeline: parsePipeline({ ...BM25, k: 1 }) }],
      ...{ k: 1, measures: ['MRecall@1'], views: [], pool: false, judge: 'labels' },
    },
    context,
  );
  assert.deepEqual([queries, leftOut, pipelines[0]!.metrics['MRecall@1']], [1, ['rain'], 1]);
});

test('finished and skipped searches add up to the announced number', async (t) => {
  const workspace = new Workspace(t);
  await workspace.configure();
  await workspace.corpus('corpus', { a: 'dam dam', b: 'dam and more' });
  const told: Progress[] = [];
  const report = (note: ProgressNote): void => {
    if (note.type === 'progress') told.push(note.progress);
  };
  const broken = { retriever: { type: 'run', file: 'absent.run' } } as const;
  const queries = [evalQuery('dam', 'dam', 'power'), evalQuery('more', 'more', 'power')];
  await workspace.compare({ broken, bm25: BM25 }, [{ queries }], { context: { ...context, report } });
  assert.deepEqual(
    told.filter(({ detail }) => detail === 'bm25'),
    [
      { done: 3, total: 4, detail: 'bm25' },
      { done: 4, total: 4, detail: 'bm25' },
    ],
  );
});
