/** Parts of the history panel that need no page: its messages, its content and its chart. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EvaluationSummary } from '../../../src/shared/evaluation.ts';
import { toHistorySchema, type HistoryState } from '../../../src/features/history/contract/panel.ts';
import { EMPTY_DRAFT, keep, restore } from '../../../webview/history/draft.ts';
import { eventsOf, lacksOf, shownOf } from '../../../webview/history/shown.ts';
import { timelineChart } from '../../../webview/history/timeline-chart.ts';
import { HISTORY_FIXTURES, type HistoryFixture } from '../../panels/history-fixtures.ts';

const FIXTURES = Object.entries<HistoryFixture | undefined>(HISTORY_FIXTURES);
const RUNS: readonly EvaluationSummary[] = HISTORY_FIXTURES.runs.runs;
const COMPARED: HistoryState = HISTORY_FIXTURES.compared.state;

describe('messages', () => {
  for (const [name, fixture] of FIXTURES)
    test(`“${name}” fits the schema`, () => {
      if (!fixture) return;
      const { state, runs } = fixture;
      const message = { type: 'state', state };
      assert.deepEqual(toHistorySchema.parse(message), message);
      if (!runs) return;
      const told = { type: 'runs', revision: 1, runs: [...runs] };
      assert.deepEqual(toHistorySchema.parse(told), told);
    });

  test('restores a stored draft and ignores anything else', () => {
    const draft = { ...EMPTY_DRAFT, dataset: 'a', pipeline: 'p', metric: 'm', picked: ['1', '2'] };
    assert.deepEqual(restore(JSON.parse(JSON.stringify(keep(draft)))), draft);
    for (const odd of [null, 3, [], { picked: [1], dataset: 7 }]) assert.deepEqual(restore(odd), EMPTY_DRAFT);
  });
});

describe('what is shown', () => {
  test('defaults to the eval set and metric of the newest run, with all its pipelines', () => {
    const shown = shownOf(HISTORY_FIXTURES['two-sets'].runs, EMPTY_DRAFT)!;
    assert.deepEqual(shown.datasets, ['questions', 'policies']);
    assert.equal(shown.dataset, 'questions');
    assert.deepEqual(shown.chosen, ['bm25', 'hybrid']);
    assert.equal(shown.metric, 'MRecall@5');
    assert.equal(shown.runs.length, RUNS.length);
  });

  test('keeps the choice as far as it exists', () => {
    const draft = { dataset: 'policies', pipeline: 'hybrid', metric: 'nDCG@5' };
    const shown = shownOf(HISTORY_FIXTURES['two-sets'].runs, draft)!;
    assert.equal(shown.dataset, 'policies');
    // That eval set has no such pipeline.
    assert.deepEqual(shown.chosen, ['bm25']);
    assert.equal(shown.metric, 'nDCG@5');
    assert.equal(shownOf([], draft), undefined);
  });

  test('names the changes of a run, and tells a new judge from new judgements', () => {
    const shown = shownOf(RUNS, EMPTY_DRAFT)!;
    assert.deepEqual(shown.runs.toReversed().map(eventsOf), [
      ['baseline'],
      [],
      ['corpus'],
      ['pipeline'],
      ['judgements'],
      ['judge'],
      ['baseline', 'corpus', 'pipeline'],
      ['eval set'],
      ['pipeline'],
      ['pipeline'],
    ]);
  });

  test('a run without the current data sets or pipelines cannot be the baseline', () => {
    const [run] = RUNS;
    const { demands } = COMPARED;
    assert.equal(lacksOf(run!, demands), undefined);
    assert.equal(lacksOf(run!, { ...demands, k: 10 }), 'k');
    assert.equal(lacksOf(run!, { ...demands, pipelines: ['bm25', 'dense'] }), 'rows');
    assert.equal(lacksOf(run!, { ...demands, evalSets: [...demands.evalSets, 'other.jsonl'] }), 'rows');
  });
});

describe('the timeline', () => {
  const chart = timelineChart(shownOf(RUNS, EMPTY_DRAFT)!);

  test('has a line with intervals for each pipeline, oldest run first', () => {
    assert.deepEqual(
      chart.series.map(({ name, points }) => [name, points.length, points[0]]),
      [
        ['bm25', 10, RUNS.at(-1)!.rows[0]!.figures['MRecall@5']],
        ['hybrid', 10, RUNS.at(-1)!.rows[1]!.figures['MRecall@5']],
      ],
    );
    assert.equal(chart.moments.length, 10);
    assert.equal(chart.table.rows.length, 10);
    assert.equal(chart.data.rows.length, 20);
  });

  test('marks changes, and baselines with a line', () => {
    assert.deepEqual(
      chart.events.map(({ name, at, line }) => [name, at, line]),
      [
        ['baseline', [0, 6], true],
        ['corpus', [2, 6], false],
        ['eval set', [7], false],
        ['pipeline', [3, 6, 8, 9], false],
        ['judge', [5], false],
        ['judgements', [4], false],
      ],
    );
  });

  test('leaves a gap for a missing pipeline and draws one pipeline like several', () => {
    const [newest, ...others] = RUNS;
    const partial = [{ ...newest!, rows: newest!.rows.slice(1) }, ...others];
    const all = timelineChart(shownOf(partial, EMPTY_DRAFT)!);
    const bm25 = all.series.find(({ name }) => name === 'bm25')!;
    assert.equal(bm25.points.at(-1), undefined);
    const alone = timelineChart(shownOf(RUNS, { ...EMPTY_DRAFT, pipeline: 'hybrid' })!);
    assert.deepEqual(
      alone.series.map(({ look }) => look),
      [chart.series[1]!.look],
    );
    assert.notEqual(alone.key, chart.key);
  });
});
