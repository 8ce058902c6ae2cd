import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toCompareSchema, type Comparison, type QueryResultView } from '../../../src/shared/compare.ts';
import { movedBy, movedTo, toggled } from '../../../webview/compare/chosen.ts';
import { EMPTY_DRAFT, keep, restore, type Draft } from '../../../webview/compare/draft.ts';
import { readState } from '../../../webview/compare/messages.ts';
import { outcome, placeOf, ranPipelines, tally, versusBaseline } from '../../../webview/compare/outcomes.ts';
import {
  filterCounts,
  QUERY_FILTERS,
  selectedQueries,
  tagsOf,
  type QueryFilter,
  type QuerySelection,
} from '../../../webview/compare/query-list.ts';
import { nextSort, sorted } from '../../../webview/compare/table-order.ts';
import { gridMove } from '../../../webview/components/grid.ts';
import { COMPARE_FIXTURES } from '../../../webview/preview/compare-fixtures.ts';

const STATES = Object.entries(COMPARE_FIXTURES).flatMap(([name, state]) =>
  state ? [[name, state] as const] : [],
);
const BASE: Comparison = COMPARE_FIXTURES.compared.comparison;

describe('messages to the compare panel', () => {
  for (const [name, state] of STATES)
    test(`the state “${name}” is understood, and fits the schema`, () => {
      const message = { type: 'state', state };
      assert.equal(toCompareSchema.safeParse(message).success, true);
      assert.equal(readState(message), state);
    });

  const refusedBoth = (state: unknown, what: string): void => {
    const message = { type: 'state', state };
    assert.equal(toCompareSchema.safeParse(message).success, false, `schema: ${what}`);
    assert.equal(readState(message), undefined, `panel: ${what}`);
  };
  const isOptional = (name: string): boolean =>
    ['comparison', 'error', 'task', 'evalSet', 'label', 'leaning', 'supportKnown'].includes(name);

  test('a state without one of its required fields is refused, as the schema refuses it', () => {
    const state: Record<string, unknown> = COMPARE_FIXTURES.compared;
    for (const field of Object.keys(state).filter((one) => !isOptional(one)))
      for (const wrong of [undefined, null, { length: 0 }]) refusedBoth({ ...state, [field]: wrong }, field);
  });

  test('a comparison, a pipeline, a query and a perspective that lack something are refused', () => {
    const state = COMPARE_FIXTURES.compared;
    const [pipeline, ...pipelines] = BASE.pipelines;
    const [query, ...queries] = BASE.queries;
    const [perspective] = query!.perspectives;
    const broken = (comparison: object): unknown => ({ ...state, comparison });
    for (const field of Object.keys(BASE)) refusedBoth(broken({ ...BASE, [field]: undefined }), field);
    for (const field of Object.keys(pipeline!).filter((one) => one !== 'pipeline' && !isOptional(one)))
      refusedBoth(broken({ ...BASE, pipelines: [{ ...pipeline, [field]: undefined }, ...pipelines] }), field);
    for (const field of Object.keys(query!))
      refusedBoth(broken({ ...BASE, queries: [{ ...query, [field]: undefined }, ...queries] }), field);
    for (const field of Object.keys(perspective!).filter((one) => !isOptional(one))) {
      const perspectives = [{ ...perspective, [field]: undefined }];
      refusedBoth(broken({ ...BASE, queries: [{ ...query, perspectives }, ...queries] }), field);
    }
  });

  test('figures for another number of pipelines are refused: they would stand under the wrong ones', () => {
    const one = BASE.queries[0]!;
    const [perspective, ...perspectives] = one.perspectives;
    const short = [
      { ...one, mrecall: one.mrecall.slice(1) },
      { ...one, precision: one.precision.slice(1) },
      { ...one, judged: one.judged.slice(1) },
      { ...one, perspectives: [{ ...perspective!, ranks: perspective!.ranks.slice(1) }, ...perspectives] },
    ];
    for (const wrong of short) {
      const comparison = { ...BASE, queries: [wrong] };
      const state = { ...COMPARE_FIXTURES.compared, comparison };
      assert.equal(readState({ type: 'state', state }), undefined);
    }
  });

  test('anything else is refused', () => {
    for (const data of [null, 'state', [], { type: 'other' }, { type: 'state' }])
      assert.equal(readState(data), undefined);
  });
});

describe('the pipelines that are compared', () => {
  test('go behind the others when they are chosen, and out when they are chosen again', () => {
    assert.deepEqual(toggled(['a', 'b'], 'c'), ['a', 'b', 'c']);
    assert.deepEqual(toggled(['a', 'b'], 'a'), ['b']);
  });

  test('are at most 24, as many as the host accepts', () => {
    const full = Array.from({ length: 24 }, (_, index) => String(index));
    assert.deepEqual(toggled(full, 'one more'), full);
  });

  test('move, and stop at the ends', () => {
    assert.deepEqual(movedBy(['a', 'b', 'c'], 'b', -1), ['b', 'a', 'c']);
    assert.deepEqual(movedBy(['a', 'b', 'c'], 'a', -1), ['a', 'b', 'c']);
    assert.deepEqual(movedBy(['a', 'b', 'c'], 'c', 1), ['a', 'b', 'c']);
    assert.deepEqual(movedTo(['a', 'b', 'c'], 'c', 0), ['c', 'a', 'b']);
    assert.deepEqual(movedTo(['a', 'b'], 'x', 0), ['a', 'b']);
  });

  test('are the same ones after any move', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.nat(), fc.integer(), (chosen, at, by) => {
        const moved = movedBy(chosen, chosen[at % chosen.length]!, by);
        assert.deepEqual(moved.toSorted(), chosen.toSorted());
      }),
    );
  });
});

/** A query from its outcomes, one per pipeline; `undefined` is a pipeline with nothing judged. */
function query(
  id: string,
  outcomes: readonly (0 | 1 | undefined)[],
  more: Partial<QueryResultView> = {},
): QueryResultView {
  const ranks = outcomes.map((one) => (one === 1 ? 1 : one === 0 ? 9 : null));
  return {
    id,
    text: `Question ${id}`,
    tags: [],
    perspectives: [{ id: 'p1', text: 'It is.', letter: 'A', color: 0, ranks }],
    mrecall: outcomes.map((one) => one ?? 0),
    precision: outcomes.map((one) => one ?? 0),
    judged: outcomes.map((one) => (one === undefined ? 0 : 1)),
    ...more,
  };
}

const compared = (queries: readonly QueryResultView[], pipelines = 3): Comparison => ({
  ...BASE,
  pipelines: BASE.pipelines.slice(0, pipelines),
  queries: [...queries],
});
const withError = (comparison: Comparison, at: number): Comparison => ({
  ...comparison,
  pipelines: comparison.pipelines.map((one, index) => (index === at ? { ...one, error: 'No model.' } : one)),
});

describe('outcomes', () => {
  test('are won, lost and tied against the first pipeline', () => {
    const comparison = compared([query('1', [0, 1, 0]), query('2', [1, 0, 1]), query('3', [0, 1, 1])]);
    assert.deepEqual(tally(comparison, 1), { won: 2, lost: 1, tied: 0 });
    assert.deepEqual(tally(comparison, 2), { won: 1, lost: 0, tied: 2 });
    assert.deepEqual(tally(comparison, 0), { won: 0, lost: 0, tied: 0 });
  });

  test('do not exist where nothing is judged, nor for a pipeline that could not be run', () => {
    const comparison = compared([query('1', [undefined, 1, 0])]);
    const [only] = comparison.queries;
    assert.equal(outcome(comparison, only!, 0), undefined);
    assert.equal(versusBaseline(comparison, only!, 1), undefined);
    const failed = withError(comparison, 1);
    assert.equal(outcome(failed, only!, 1), undefined);
    assert.deepEqual(
      ranPipelines(failed).map(({ index }) => index),
      [0, 2],
    );
  });

  test('unjudged is never lost: only what was judged, or is known to be supported elsewhere, is', () => {
    const comparison = { ...compared([]), k: 5 };
    const place = (rank: number | null, judged: number, supportKnown?: boolean): string => {
      const one = query('1', [0], { judged: [judged] });
      const perspective = {
        ...one.perspectives[0]!,
        ranks: [rank],
        ...(supportKnown === undefined ? {} : { supportKnown }),
      };
      return placeOf(comparison, one, perspective, 0);
    };
    assert.equal(place(5, 1), 'covered');
    assert.equal(place(6, 1), 'below-k');
    assert.equal(place(null, 1), 'lost');
    assert.equal(place(null, 0.8), 'unjudged');
    assert.equal(place(null, 0.8, false), 'unjudged');
    assert.equal(place(null, 0.8, true), 'lost');
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
  const comparison = compared(QUERIES);
  const ids = (change: Partial<QuerySelection>, of = comparison): string[] =>
    selectedQueries(of, { filter: 'all', order: 'eval-set', words: '', tag: undefined, ...change }).map(
      ({ id }) => id,
    );

  test('is filtered by what the pipelines made of the query', () => {
    const found: Record<QueryFilter, string[]> = {
      all: ['tied', 'lost', 'baseline', 'mixed', 'regression', 'unknown'],
      disagree: ['baseline', 'mixed', 'regression'],
      'lost-by-all': ['lost'],
      'lost-by-baseline-only': ['baseline'],
      won: ['baseline', 'mixed'],
      lost: ['regression'],
    };
    for (const filter of QUERY_FILTERS) assert.deepEqual(ids({ filter }), found[filter], filter);
    const counts = filterCounts(comparison, { words: '', tag: undefined });
    for (const filter of QUERY_FILTERS) assert.equal(counts[filter], found[filter].length, filter);
  });

  test('leaves out a pipeline that could not be run', () => {
    assert.deepEqual(ids({ filter: 'disagree' }, withError(comparison, 1)), ['baseline']);
    assert.deepEqual(ids({ filter: 'won' }, withError(comparison, 0)), []);
  });

  test('finds words in any order and case in the text, the id and the perspectives', () => {
    assert.deepEqual(ids({ words: 'purr cats' }), ['regression']);
    assert.deepEqual(ids({ words: 'MIXED' }), ['mixed']);
    assert.equal(ids({ words: ' it is. ' }).length, QUERIES.length);
  });

  test('is filtered by a tag', () => {
    assert.deepEqual(tagsOf(comparison), ['a', 'b']);
    assert.deepEqual(ids({ tag: 'a' }), ['baseline']);
  });

  test('puts disagreement first: on the whole query, then on single perspectives', () => {
    const p = (ranks: (number | null)[]): QueryResultView['perspectives'][number] => ({
      ...QUERIES[0]!.perspectives[0]!,
      ranks,
    });
    const single = query('single', [0, 0, 0], { perspectives: [p([1, 9, 9]), p([9, 9, 9])] });
    const shown = ids({ order: 'disagreement' }, compared([...QUERIES, single]));
    assert.deepEqual(shown.slice(0, 4), ['baseline', 'mixed', 'regression', 'single']);
    assert.deepEqual(shown.slice(4), ['tied', 'lost', 'unknown']);
  });
});

describe('sorting a table', () => {
  test('goes from the best first to the other way round and back to none', () => {
    const first = nextSort(undefined, 'a', 'descending');
    assert.deepEqual(first, { column: 'a', direction: 'descending' });
    const second = nextSort(first, 'a', 'descending');
    assert.deepEqual(second, { column: 'a', direction: 'ascending' });
    assert.equal(nextSort(second, 'a', 'descending'), undefined);
    assert.deepEqual(nextSort(second, 'b', 'ascending'), { column: 'b', direction: 'ascending' });
  });

  test('is stable, and puts rows without a value last in both directions', () => {
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

  test('follows the keys and stays inside', () => {
    assert.deepEqual(key('ArrowDown', [0, 0]), [1, 0]);
    assert.deepEqual(key('ArrowUp', [0, 3]), [0, 3]);
    assert.deepEqual(key('ArrowRight', [5, 3]), [5, 3]);
    assert.deepEqual(key('End', [5, 1]), [5, 3]);
    assert.deepEqual(key('PageDown', [15, 1]), [19, 1]);
    assert.deepEqual(key('Home', [5, 1], { ctrlKey: true }), [0, 0]);
    assert.deepEqual(key('End', [5, 1], { ctrlKey: true }), [19, 3]);
  });

  test('leaves other keys alone', () => {
    assert.equal(key('a', [0, 0]), undefined);
    assert.equal(key('ArrowDown', [0, 0], { altKey: true }), undefined);
    assert.equal(key('ArrowDown', [0, 0], { ctrlKey: true }), undefined);
  });
});

describe('the kept draft of the compare panel', () => {
  test('comes back as it was', () => {
    const draft: Draft = {
      ...EMPTY_DRAFT,
      sort: { column: 'MRecall@5', direction: 'descending' },
      filter: 'won',
      order: 'eval-set',
      words: 'school',
      tag: 'society',
      expanded: ['q001'],
      shown: 400,
    };
    assert.deepEqual(restore(JSON.parse(JSON.stringify(keep(draft)))), {
      ...draft,
      shown: EMPTY_DRAFT.shown,
    });
  });

  test('is empty when what was kept makes no sense', () => {
    for (const kept of [
      null,
      'x',
      { sort: { column: 1 }, filter: 'x', order: 3, words: [], tag: 1, expanded: [1] },
    ])
      assert.deepEqual(restore(kept), EMPTY_DRAFT);
  });
});
