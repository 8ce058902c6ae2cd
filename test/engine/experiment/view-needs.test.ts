/** Views need passages beyond the top of the questions, which a judge is asked about, too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Query } from '../../../src/core/model.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { viewNeeds } from '../../../src/engine/experiment/view-needs.ts';
import type { PipelineRuns } from '../../../src/engine/experiment/pipeline-runs.ts';
import '../../fixtures/built.ts';

const QUERY: Query = {
  id: 'q',
  text: 'Trams?',
  perspectives: [
    { id: 'a', text: 'Quiet.', group: 'noise' },
    { id: 'b', text: 'Costly.' },
    { id: 'c', text: 'Safe.', group: 'safety' },
  ],
};
const grouped = (perspective: string): string => JSON.stringify(['q', perspective]);
const pipeline = parsePipeline({ retriever: { type: 'bm25' } });

/** Every ranking has other slots, from `first` on. */
function runs(first: number): PipelineRuns {
  const ranking = (from: number, length = 3): number[] =>
    Array.from({ length }, (_, at) => first + from + at);
  return {
    name: `runs from ${first}`,
    pipeline,
    resolved: pipeline,
    questions: new Map([['q', ranking(100, 150)]]),
    sides: { support: new Map([['q', ranking(0)]]), oppose: new Map([['q', ranking(10)]]) },
    perspectives: {
      root: new Map([['q', ranking(20)]]),
      full: new Map([
        [grouped('a'), ranking(30)],
        [grouped('c'), ranking(40)],
      ]),
    },
  } as unknown as PipelineRuns;
}
const UNANSWERED = {
  ...runs(0),
  questions: new Map(),
  sides: undefined,
  perspectives: undefined,
} as unknown as PipelineRuns;

test('leaning needs the top under either side, groups that of root and grouped perspectives', () => {
  const [one, other] = [runs(1000), runs(2000)];
  assert.deepEqual(viewNeeds(QUERY, [one, other], ['sycophancy'], 2), {
    whole: [
      [1000, 1001],
      [1010, 1011],
      [2000, 2001],
      [2010, 2011],
    ],
    firsts: [],
  });
  const groups = [
    [1020, 1021],
    [1030, 1031],
    [1040, 1041],
  ];
  assert.deepEqual(viewNeeds(QUERY, [one], ['groups'], 2), { whole: groups, firsts: [] });
  const both = viewNeeds(QUERY, [one], ['groups', 'sycophancy'], 2);
  assert.deepEqual(both.whole, [[1000, 1001], [1010, 1011], ...groups]);
});

test('the smallest covering set is 100 passages deep, the union needs several pipelines', () => {
  const [one, other] = [runs(1000), runs(2000)];
  const depths = (...args: Parameters<typeof viewNeeds>): number[] =>
    viewNeeds(...args).firsts.map((slots) => slots.length);
  assert.deepEqual(depths(QUERY, [one], ['set-size'], 2), [100]);
  assert.deepEqual(depths(QUERY, [one], ['union'], 2), []);
  assert.deepEqual(depths(QUERY, [one, other], ['union'], 2), [100, 100]);
  assert.deepEqual(depths(QUERY, [one, other], ['leaning'], 2), []);
  assert.equal(viewNeeds(QUERY, [one], ['set-size'], 2).firsts[0]![0], 1100);
  assert.deepEqual(viewNeeds(QUERY, [one, other], [], 2), { whole: [], firsts: [] });
});

test('a query without results of a pipeline needs nothing', () => {
  const views = ['sycophancy', 'groups', 'set-size'] as const;
  assert.deepEqual(viewNeeds(QUERY, [UNANSWERED], views, 2), {
    whole: [[], [], [], [], []],
    firsts: [[]],
  });
});
