import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Evaluation, DatasetEvaluation, QueryEvaluation } from '../../../src/evaluation/evaluation.ts';
import { toCompareSchema, type CompareState } from '../../../src/features/compare/contract/panel.ts';
import { isAligned } from '../../../webview/compare/aligned.ts';
import { movedBy, movedTo, toggled } from '../../../webview/compare/setup/chosen.ts';
import {
  chosenQueries,
  missingIndexes,
  MAX_SETS,
  toggledSet,
} from '../../../webview/compare/setup/chosen-sets.ts';
import { EMPTY_DRAFT, keep, restore, type Draft } from '../../../webview/compare/draft.ts';
import { leadsTo, type Lead } from '../../../webview/compare/queries/lead.ts';
import { baselineOf, outcome, ranPipelines, versusBaseline } from '../../../webview/compare/outcomes.ts';
import {
  filterCounts,
  QUERY_FILTERS,
  selectedQueries,
  tagsOf,
  type QueryFilter,
  type QuerySelection,
} from '../../../webview/compare/queries/query-list.ts';
import { setOf, shownSet, type ShownSet } from '../../../webview/compare/shown-set.ts';
import { nextSort, sorted } from '../../../webview/compare/overview/table-order.ts';
import { gridMove } from '../../../webview/components/grid.ts';
import { exactly } from '../../../src/core/measured.ts';
import { coveredShareAt } from '../../../src/evaluation/reading.ts';
import { statesOf } from '../../fixtures/evaluation.ts';
import { COMPARE_FIXTURES, type CompareFixture } from '../../panels/compare-fixtures.ts';

const FIXTURES = Object.entries<CompareFixture | undefined>(COMPARE_FIXTURES).flatMap(([name, fixture]) =>
  fixture ? [[name, fixture] as const] : [],
);
const BASE: Evaluation = COMPARE_FIXTURES.compared.comparison;
const SET: DatasetEvaluation = BASE.datasets[0]!;

describe('messages to the compare panel', () => {
  for (const [name, { state, comparison }] of FIXTURES)
    test(`“${name}” fits the schema and has consistent figures`, () => {
      assert.equal(toCompareSchema.safeParse({ type: 'state', state }).success, true);
      if (!comparison) return;
      assert.equal(toCompareSchema.safeParse({ type: 'comparison', comparison }).success, true);
      assert.equal(isAligned(comparison), true);
    });

  const withSet = (set: Partial<DatasetEvaluation>): Evaluation => ({
    ...BASE,
    datasets: [{ ...SET, ...set }],
  });

  test('refuses figures for another number of pipelines', () => {
    const one = SET.queries[0]!;
    const [perspective, ...perspectives] = one.perspectives;
    const short = [
      { ...one, results: one.results.slice(1) },
      {
        ...one,
        perspectives: [{ ...perspective!, states: perspective!.states.slice(1) }, ...perspectives],
      },
    ];
    const wrong = [
      ...short.map((query) => withSet({ queries: [query] })),
      withSet({ pipelines: SET.pipelines.slice(1) }),
      { ...BASE, macro: [{}] },
    ];
    for (const comparison of wrong) assert.equal(isAligned(comparison), false);
  });

  test('refuses a heat map with shares that do not match its headers', () => {
    const [pipeline, ...pipelines] = SET.pipelines;
    const heatMap = { rows: ['a', 'b'], columns: ['a'], shares: [[1], [0.5]] };
    const fits = (changed: Partial<typeof heatMap>): boolean => {
      const drawn = { ...pipeline!, heatMap: { ...heatMap, ...changed } };
      return isAligned(withSet({ pipelines: [drawn, ...pipelines] }));
    };
    assert.equal(fits({}), true);
    assert.equal(fits({ shares: [[1]] }), false);
    assert.equal(fits({ shares: [[1], [0.5, 0.5]] }), false);
  });
});

describe('the data sets that are compared on', () => {
  const state: CompareState = COMPARE_FIXTURES['missing-index'].state;
  const [first, second] = state.chosenSets;

  test('are appended when selected and removed when selected again', () => {
    assert.deepEqual(toggledSet([first!], second!), [first, second]);
    assert.deepEqual(toggledSet([first!, second!], { ...first! }), [second]);
  });

  test('are at most as many as the host accepts', () => {
    const full = Array.from({ length: MAX_SETS }, (_, index) => ({ evalSet: String(index), corpus: 'c' }));
    assert.deepEqual(toggledSet(full, first!), full);
  });

  test('require only the indexes of their own corpora', () => {
    assert.deepEqual(missingIndexes(state), ['wiki']);
    assert.deepEqual(missingIndexes({ ...state, chosenSets: [first!] }), []);
    assert.equal(chosenQueries(state), 190);
  });
});

describe('the pipelines that are compared', () => {
  test('are appended when chosen and removed when chosen again', () => {
    assert.deepEqual(toggled(['a', 'b'], 'c'), ['a', 'b', 'c']);
    assert.deepEqual(toggled(['a', 'b'], 'a'), ['b']);
  });

  test('are at most 24, as many as the host accepts', () => {
    const full = Array.from({ length: 24 }, (_, index) => String(index));
    assert.deepEqual(toggled(full, 'one more'), full);
  });

  test('move, but not past the ends', () => {
    assert.deepEqual(movedBy(['a', 'b', 'c'], 'b', -1), ['b', 'a', 'c']);
    assert.deepEqual(movedBy(['a', 'b', 'c'], 'a', -1), ['a', 'b', 'c']);
    assert.deepEqual(movedBy(['a', 'b', 'c'], 'c', 1), ['a', 'b', 'c']);
    assert.deepEqual(movedTo(['a', 'b', 'c'], 'c', 0), ['c', 'a', 'b']);
    assert.deepEqual(movedTo(['a', 'b'], 'x', 0), ['a', 'b']);
  });

  test('are the same set after any move', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.nat(), fc.integer(), (chosen, at, by) => {
        const moved = movedBy(chosen, chosen[at % chosen.length]!, by);
        assert.deepEqual(moved.toSorted(), chosen.toSorted());
      }),
    );
  });
});

/** A query with one outcome for each pipeline; `undefined` is a pipeline without judgements. */
function query(
  id: string,
  outcomes: readonly (0 | 1 | undefined)[],
  more: Partial<QueryEvaluation> = {},
): QueryEvaluation {
  const ranks = outcomes.map((one) => (one === 1 ? 1 : one === 0 ? 9 : null));
  return {
    id,
    text: `Question ${id}`,
    tags: [],
    perspectives: [
      {
        id: 'p1',
        text: 'It is.',
        letter: 'A',
        color: 0,
        states: statesOf('p1', ranks, 5, 'unjudged'),
        supportKnown: true,
      },
    ],
    results: outcomes.map((one) => ({
      measures: { 'MRecall@5': exactly(one ?? 0), 'Precision@5': exactly(one ?? 0) },
      judged: one === undefined ? 0 : 1,
    })),
    ...more,
  };
}

const compared = (queries: readonly QueryEvaluation[], pipelines = 3): ShownSet => ({
  ...setOf(BASE, SET),
  pipelines: SET.pipelines.slice(0, pipelines),
  queries: [...queries],
});
const withError = (set: ShownSet, at: number): ShownSet => ({
  ...set,
  pipelines: set.pipelines.map((one, index) => (index === at ? { ...one, error: 'No model.' } : one)),
  queries: set.queries.map((one) => ({ ...one, results: one.results.with(at, null) })),
});

describe('the data set in detail', () => {
  const several = COMPARE_FIXTURES.several.comparison;

  test('is the selected one, else the first, and the same object each time', () => {
    assert.equal(shownSet(several, 'kialo')?.name, 'kialo');
    assert.equal(shownSet(several, 'gone')?.name, 'debate');
    assert.equal(shownSet(several, 'kialo'), shownSet(several, 'kialo'));
  });

  test('lists the properties of its pipelines', () => {
    assert.deepEqual(shownSet(several, undefined)?.labels.slice(0, 2), ['BM25', 'Meaning (minilm)']);
  });
});

describe('outcomes', () => {
  test('are won, lost and tied against the first pipeline that ran', () => {
    const set = compared([query('1', [0, 1, 0]), query('2', [1, 0, 1])]);
    const versus = (of: ShownSet, index: number): unknown[] =>
      of.queries.map((one) => versusBaseline(of, one, index));
    assert.equal(baselineOf(set), 0);
    assert.deepEqual(versus(set, 1), ['won', 'lost']);
    assert.deepEqual(versus(set, 2), ['tied', 'tied']);
    assert.deepEqual(versus(set, 0), [undefined, undefined]);
    const failed = withError(set, 0);
    assert.equal(baselineOf(failed), 1);
    assert.deepEqual(versus(failed, 2), ['lost', 'won']);
  });

  test('are open if unjudged passages may cover a lost perspective', () => {
    const settled = query('1', [1, 0, 0]);
    const open = {
      measures: { 'MRecall@5': { value: 0, bound: 'least' as const, most: 1 } },
      judged: 0.5,
    };
    const set = compared([settled, { ...settled, id: '2', results: settled.results.with(1, open) }]);
    const versus = (index: number): unknown[] => set.queries.map((one) => versusBaseline(set, one, index));
    assert.deepEqual(versus(1), ['lost', undefined]);
    assert.deepEqual(versus(2), ['lost', 'lost']);
    assert.deepEqual(
      [0, 1, 2].map((index) => outcome(set, set.queries[1]!, index)),
      [1, undefined, 0],
    );
  });

  test('are missing without judgements and for a pipeline that could not be run', () => {
    const set = compared([query('1', [undefined, 1, 0])]);
    const [only] = set.queries;
    assert.equal(outcome(set, only!, 0), undefined);
    assert.equal(versusBaseline(set, only!, 1), undefined);
    const failed = withError(set, 1);
    assert.equal(outcome(failed, failed.queries[0]!, 1), undefined);
    assert.deepEqual(
      ranPipelines(failed).map(({ index }) => index),
      [0, 2],
    );
  });
});

describe('a figure leads to its queries', () => {
  const p = (ranks: (number | null)[], supportKnown = true): QueryEvaluation['perspectives'][number] => ({
    ...query('x', [0]).perspectives[0]!,
    states: statesOf('p1', ranks, 5, supportKnown ? 'not-retrieved' : 'not-found'),
    supportKnown,
  });
  const set = compared([
    query('won', [0, 1, 0]),
    query('lost', [1, 0, 1]),
    query('half', [0, 0, 0], { perspectives: [p([9, 2, 9]), p([9, 9, 9])] }),
    query('nowhere', [0, 0, 0], { perspectives: [p([null, null, null]), p([null, null, null], false)] }),
    query('unjudged', [undefined, undefined, undefined]),
  ]);
  const [, other] = set.pipelines;
  const ids = (lead: Lead): string[] =>
    set.queries.filter((one) => leadsTo(lead, set, one)).map(({ id }) => id);
  const versus = (measure: string, wanted: 'differing' | 'won' | 'lost' | 'tied'): string[] =>
    ids({ to: 'versus', pipeline: other!.name, measure, wanted });

  test('of a difference: as many queries as the tallies count', () => {
    assert.deepEqual(versus('MRecall@5', 'differing'), ['won', 'lost']);
    assert.deepEqual(versus('MRecall@5', 'won'), ['won']);
    assert.deepEqual(versus('MRecall@5', 'lost'), ['lost']);
    assert.deepEqual(versus('MRecall@5', 'tied'), ['half', 'nowhere', 'unjudged']);
    assert.deepEqual(versus('StRecall@5', 'won'), ['won', 'half']);
    assert.equal(coveredShareAt(set.queries[2]!, 1), 0.5);
  });

  test('of a measure known as a mean only: the queries whose top k differs', () => {
    assert.deepEqual(versus('alpha_nDCG@5', 'differing'), ['won', 'lost', 'half']);
    assert.deepEqual(versus('alpha_nDCG@5', 'won'), []);
  });

  test('of the baseline: the queries that score less than 1', () => {
    const { name } = set.pipelines[0]!;
    assert.deepEqual(ids({ to: 'short', pipeline: name, measure: 'MRecall@5' }), [
      'won',
      'half',
      'nowhere',
      'unjudged',
    ]);
  });

  test('of a loss: the queries with such a perspective', () => {
    const place = (wanted: Extract<Lead, { to: 'place' }>['place']): string[] =>
      ids({ to: 'place', pipeline: other!.name, place: wanted });
    assert.deepEqual(place('covered'), ['won', 'half']);
    assert.deepEqual(place('below-k'), ['lost', 'half']);
    assert.deepEqual(place('not-retrieved'), ['nowhere']);
    assert.deepEqual(place('not-found'), ['nowhere']);
    assert.deepEqual(place('unjudged'), ['unjudged']);
  });

  test('of the judged share: the queries that are not fully judged', () => {
    assert.deepEqual(ids({ to: 'unjudged', pipeline: other!.name }), ['unjudged']);
  });

  test('of a missing pipeline: no queries', () => {
    assert.deepEqual(ids({ to: 'unjudged', pipeline: 'gone' }), []);
  });
});

describe('the list of queries', () => {
  const QUERIES = [
    query('tied', [1, 1, 1]),
    query('lost', [0, 0, 0]),
    query('baseline', [0, 1, 1], { tags: ['b', 'a'] }),
    query('mixed', [0, 1, 0]),
    query('regression', [1, 0, 1], { text: 'Do CATS purr?' }),
    query('unknown', [undefined, undefined, undefined]),
  ];
  const set = compared(QUERIES);
  const ALL = { filter: 'all', order: 'eval-set', words: '', tag: undefined, lead: undefined } as const;
  const ids = (change: Partial<QuerySelection>, of = set): string[] =>
    selectedQueries(of, { ...ALL, ...change }).map(({ id }) => id);

  test('is filtered by outcomes of the pipelines', () => {
    const found: Record<QueryFilter, string[]> = {
      all: ['tied', 'lost', 'baseline', 'mixed', 'regression', 'unknown'],
      disagree: ['baseline', 'mixed', 'regression'],
      'lost-by-all': ['lost'],
      'lost-by-baseline-only': ['baseline'],
      won: ['baseline', 'mixed'],
      lost: ['regression'],
    };
    for (const filter of QUERY_FILTERS) assert.deepEqual(ids({ filter }), found[filter], filter);
    const counts = filterCounts(set, ALL);
    for (const filter of QUERY_FILTERS) assert.equal(counts[filter], found[filter].length, filter);
  });

  test('omits a pipeline that could not be run', () => {
    assert.deepEqual(ids({ filter: 'disagree' }, withError(set, 1)), ['baseline']);
    assert.deepEqual(ids({ filter: 'won' }, withError(set, 0)), ['regression']);
  });

  test('is restricted to the queries of a figure before the filters apply', () => {
    const lead: Lead = {
      to: 'versus',
      pipeline: set.pipelines[2]!.name,
      measure: 'MRecall@5',
      wanted: 'differing',
    };
    assert.deepEqual(ids({ lead }), ['baseline']);
    assert.equal(filterCounts(set, { ...ALL, lead }).all, 1);
  });

  test('matches words in any order and case in the text, the id and the perspectives', () => {
    assert.deepEqual(ids({ words: 'purr cats' }), ['regression']);
    assert.deepEqual(ids({ words: 'MIXED' }), ['mixed']);
    assert.equal(ids({ words: ' it is. ' }).length, QUERIES.length);
  });

  test('is filtered by a tag', () => {
    assert.deepEqual(tagsOf(set), ['a', 'b']);
    assert.deepEqual(ids({ tag: 'a' }), ['baseline']);
  });

  test('puts disagreement first: on the whole query, then on single perspectives', () => {
    const p = (ranks: (number | null)[]): QueryEvaluation['perspectives'][number] => ({
      ...QUERIES[0]!.perspectives[0]!,
      states: statesOf('p1', ranks, 5),
    });
    const single = query('single', [0, 0, 0], { perspectives: [p([1, 9, 9]), p([9, 9, 9])] });
    const shown = ids({ order: 'disagreement' }, compared([...QUERIES, single]));
    assert.deepEqual(shown.slice(0, 4), ['baseline', 'mixed', 'regression', 'single']);
    assert.deepEqual(shown.slice(4), ['tied', 'lost', 'unknown']);
  });
});

describe('sorting a table', () => {
  test('cycles through descending, ascending and unsorted', () => {
    const first = nextSort(undefined, 'a', 'descending');
    assert.deepEqual(first, { column: 'a', direction: 'descending' });
    const second = nextSort(first, 'a', 'descending');
    assert.deepEqual(second, { column: 'a', direction: 'ascending' });
    assert.equal(nextSort(second, 'a', 'descending'), undefined);
    assert.deepEqual(nextSort(second, 'b', 'ascending'), { column: 'b', direction: 'ascending' });
  });

  test('is stable, and keeps rows without a value last in both directions', () => {
    const rows = [
      { id: 1, n: 2 },
      { id: 2, n: undefined },
      { id: 3, n: 1 },
      { id: 4, n: 2 },
    ];
    const order = (direction: 'ascending' | 'descending'): number[] =>
      sorted(rows, ({ n }) => n, direction).map(({ id }) => id);
    assert.deepEqual(order('ascending'), [3, 1, 4, 2]);
    assert.deepEqual(order('descending'), [1, 4, 3, 2]);
    assert.deepEqual(
      sorted(['k10', 'k2', 'k1'], (name) => name, 'ascending'),
      ['k1', 'k2', 'k10'],
    );
  });
});

describe('moving through a grid', () => {
  const size = { rows: 20, columns: 4 };
  const key = (name: string, from: [number, number], modifiers = {}): unknown => {
    const event = { key: name, ctrlKey: false, altKey: false, metaKey: false, ...modifiers };
    const to = gridMove(event, { row: from[0], column: from[1] }, size);
    return to && [to.row, to.column];
  };

  test('follows the arrow keys and stays inside', () => {
    assert.deepEqual(key('ArrowDown', [0, 0]), [1, 0]);
    assert.deepEqual(key('ArrowUp', [0, 3]), [0, 3]);
    assert.deepEqual(key('ArrowRight', [5, 3]), [5, 3]);
    assert.deepEqual(key('End', [5, 1]), [5, 3]);
    assert.deepEqual(key('PageDown', [15, 1]), [19, 1]);
    assert.deepEqual(key('Home', [5, 1], { ctrlKey: true }), [0, 0]);
    assert.deepEqual(key('End', [5, 1], { ctrlKey: true }), [19, 3]);
  });

  test('ignores other keys', () => {
    assert.equal(key('a', [0, 0]), undefined);
    assert.equal(key('ArrowDown', [0, 0], { altKey: true }), undefined);
    assert.equal(key('ArrowDown', [0, 0], { ctrlKey: true }), undefined);
  });
});

describe('the kept draft of the compare panel', () => {
  test('is restored', () => {
    const draft: Draft = {
      ...EMPTY_DRAFT,
      sort: { column: 'MRecall@5', direction: 'descending' },
      filter: 'won',
      order: 'eval-set',
      words: 'school',
      tag: 'society',
      expanded: ['q001'],
      dataset: 'kialo',
      toggled: ['debate'],
      chart: 'scatter',
      axes: { x: 'time', y: undefined, queries: true },
    };
    const shown: Draft = {
      ...draft,
      drawn: { rows: { first: 3, last: 9 }, columns: { first: 0, last: 16 } },
      popover: 'sets',
      comparison: BASE,
      heatOf: 'BM25',
    };
    assert.deepEqual(restore(JSON.parse(JSON.stringify(keep(shown)))), draft);
  });

  test('is empty if the stored value is invalid', () => {
    for (const kept of [
      null,
      'x',
      { sort: { column: 1 }, filter: 'x', order: 3, words: [], tag: 1, expanded: [1] },
      { dataset: 1, toggled: 'x', chart: 7, axes: { x: 3, queries: 'yes' } },
    ])
      assert.deepEqual(restore(kept), EMPTY_DRAFT);
  });
});
