import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import type { Movement } from '../../../src/features/compare/contract/panel.ts';
import { chartCsv } from '../../../webview/charts/chart-csv.ts';
import { lookOf, type ChartTable } from '../../../webview/charts/chart.ts';
import type { Chart } from '../../../webview/charts/draw.ts';
import { coverageCurves } from '../../../webview/compare/charts/coverage-curves.ts';
import { groupHeat, heatPipelines } from '../../../webview/compare/charts/group-heat.ts';
import { besidePoints, spread, type Box } from '../../../webview/charts/label-places.ts';
import { axisChoices, chosenAxes, measureScatter } from '../../../webview/compare/charts/measure-scatter.ts';
import { outcomeMap } from '../../../webview/compare/charts/outcome-map.ts';
import { perspectiveRecallChart } from '../../../webview/compare/charts/perspective-recall.ts';
import { rankMovement } from '../../../webview/compare/charts/rank-movement.ts';
import { sycophancyChart } from '../../../webview/compare/charts/sycophancy.ts';
import { plainColour } from '../../../webview/charts/svg-file.ts';
import { direction } from '../../../webview/components/difference.ts';
import { shownSet, type ShownSet } from '../../../webview/compare/shown-set.ts';
import { COMPARE_FIXTURES } from '../../panels/compare-fixtures.ts';
import { shortP } from '../../../src/shared/p-value.ts';

const setOf = (comparison: Evaluation): ShownSet => shownSet(comparison, undefined)!;
const COMPARED = setOf(COMPARE_FIXTURES.compared.comparison);
const GROUPED = setOf(COMPARE_FIXTURES.groups.comparison);
const FAILED = setOf(COMPARE_FIXTURES.errors.comparison);
const HARDLY_JUDGED = setOf({
  ...COMPARE_FIXTURES.unjudged.comparison,
  datasets: COMPARE_FIXTURES.unjudged.comparison.datasets.map((set) => ({ ...set, basis: 'open' as const })),
});
const SCATTER = { x: undefined, y: undefined, queries: false };

const MOVEMENT: Movement = {
  dataset: COMPARED.name,
  queryId: 'q001',
  depth: 10,
  passages: [
    { id: 'b', title: 'Both', ranks: [1, null, 10, 2], supports: ['p2', 'p1'] },
    { id: 'n', title: 'Neither', ranks: [2, 1, null, null], supports: [] },
  ],
};

test('curves are marked as lower bounds if hardly anything below k is judged', () => {
  assert.equal(coverageCurves(COMPARED)!.y.label, 'StRecall@k');
  assert.equal(coverageCurves(HARDLY_JUDGED, 'queries')!.y.label, 'MRecall@k, at least');
});

describe('every chart', () => {
  const charts: [string, Chart | undefined][] = [
    ['coverage curves', coverageCurves(COMPARED)],
    ['scatter', measureScatter(COMPARED, SCATTER)],
    ['scatter of queries', measureScatter(COMPARED, { ...SCATTER, queries: true })],
    ['heat map', outcomeMap(COMPARED, COMPARED.queries)],
    ['sycophancy', sycophancyChart(COMPARED)],
    ['group heat map', groupHeat(GROUPED, undefined)],
    ['perspective recall', perspectiveRecallChart(GROUPED)],
    ['rank movement', rankMovement(COMPARED, MOVEMENT)],
  ];
  const isTable = ({ columns, rows }: ChartTable): boolean =>
    columns.length > 1 && rows.length > 0 && rows.every((row) => row.length === columns.length);

  for (const [name, chart] of charts)
    test(`${name}: has a text, a table and the numbers it draws`, () => {
      assert.ok(chart);
      assert.match(chart.description, /\w.*\.$/);
      assert.ok(isTable(chart.table), 'table');
      assert.ok(isTable(chart.data), 'data');
      assert.ok(chart.key.includes(chart.kind === 'heat' || chart.kind === 'dots' ? 'c-' : COMPARED.id));
    });

  test('differs for another data set', () => {
    const keys = COMPARE_FIXTURES.several.comparison.datasets.map(
      ({ name }) => coverageCurves(shownSet(COMPARE_FIXTURES.several.comparison, name)!)?.key,
    );
    assert.equal(new Set(keys).size, 3);
  });

  test('omits a pipeline that could not be run', () => {
    const names = [
      coverageCurves(FAILED)?.series.map(({ name }) => name),
      measureScatter(FAILED, SCATTER)?.points.map(({ name }) => name),
      outcomeMap(FAILED, FAILED.queries)?.rows,
      sycophancyChart(FAILED)?.rows.map(({ name }) => name),
    ];
    for (const list of names) assert.deepEqual(list, ['BM25', 'Hybrid', 'BM25 + MMR']);
  });

  test('is missing if the data set has no figures for it', () => {
    assert.equal(groupHeat(COMPARED, undefined), undefined);
    assert.equal(perspectiveRecallChart(COMPARED), undefined);
    assert.equal(sycophancyChart(GROUPED), undefined);
    assert.equal(outcomeMap(COMPARED, []), undefined);
    const none = { ...COMPARED, pipelines: COMPARED.pipelines.map((one) => ({ ...one, error: 'No.' })) };
    assert.equal(coverageCurves(none), undefined);
    assert.equal(measureScatter(none, SCATTER), undefined);
    assert.equal(rankMovement(none, MOVEMENT), undefined);
  });
});

describe('coverage curves', () => {
  test('write every k to the file and show a few in the table', () => {
    const chart = coverageCurves(COMPARED)!;
    assert.equal(chart.data.rows.length, 4 * 100);
    assert.deepEqual(chart.data.rows[4], ['BM25', 5, COMPARED.pipelines[0]!.strecallCurve![4]]);
    assert.deepEqual(chart.table.columns.slice(1, 4), ['StRecall@1', 'StRecall@2', 'StRecall@3']);
    assert.equal(chart.table.rows[0]![8], COMPARED.pipelines[0]!.strecallCurve![99]);
  });

  test('of StRecall never fall; those of MRecall exist in older evaluations too', () => {
    for (const { values } of coverageCurves(COMPARED)!.series)
      for (const [place, value] of values.slice(1).entries()) assert.ok(value >= values[place]!);
    const kept = {
      ...COMPARED,
      pipelines: COMPARED.pipelines.map((one) => ({ ...one, strecallCurve: undefined })),
    };
    assert.equal(coverageCurves(kept), undefined);
    assert.deepEqual(coverageCurves(kept, 'queries')!.data.columns, ['pipeline', 'k', 'mrecall']);
  });
});

describe('scatter', () => {
  test('lists the measures first and starts with the second on x and the first on y', () => {
    const choices = axisChoices(COMPARED);
    assert.deepEqual(
      choices.map(({ name }) => name),
      [...COMPARED.measures, 'judged', 'set-size', 'time'],
    );
    const axes = chosenAxes(choices, SCATTER)!;
    assert.deepEqual([axes.x.name, axes.y.name], ['Precision@5', 'MRecall@5']);
    const chosen = chosenAxes(choices, { x: 'time', y: 'gone' })!;
    assert.deepEqual([chosen.x.name, chosen.y.name], ['time', 'MRecall@5']);
  });

  test('draws queries near their figures and saves exact values, if it has values of queries', () => {
    const chart = measureScatter(COMPARED, { ...SCATTER, queries: true })!;
    assert.equal(chart.queries.length, 4 * 40);
    const exact = chart.data.rows.filter(([, query]) => query !== 'all');
    assert.equal(exact.length, 4 * 40);
    exact.forEach(([, , x, y], index) => {
      assert.ok([0, 1].includes(y as number));
      assert.ok(Math.abs(chart.queries[index]!.x - (x as number)) <= 0.025);
      assert.ok(Math.abs(chart.queries[index]!.y - (y as number)) <= 0.025);
    });
    const places = chart.queries.map(({ x, y }) => `${x} ${y}`);
    assert.equal(new Set(places).size, places.length, 'no two of them cover each other wholly');
    const means = measureScatter(COMPARED, { x: 'nDCG@5', y: undefined, queries: true })!;
    assert.deepEqual(means.queries, []);
  });
});

describe('heat maps', () => {
  test('of queries keep their order and show unjudged ones as unknown', () => {
    const [first, second] = COMPARED.queries;
    const unjudged = {
      ...second!,
      results: second!.results.map((result) => ({ ...result!, judged: 0 })),
    };
    const chart = outcomeMap({ ...COMPARED, queries: [unjudged, first!] }, [unjudged, first!])!;
    assert.deepEqual(chart.columns, [second!.id, first!.id]);
    assert.ok(chart.shares.every(([unknown, known]) => unknown === undefined && known !== undefined));
    assert.deepEqual(
      chart.table.rows[0]!.slice(1)
        .map(Number)
        .reduce((a, b) => a + b),
      2,
    );
  });

  test('of groups use the selected pipeline, else the first with groups', () => {
    assert.equal(heatPipelines(GROUPED).length, 4);
    assert.match(groupHeat(GROUPED, 'Hybrid')!.key, /Hybrid$/);
    assert.match(groupHeat(GROUPED, 'gone')!.key, /BM25$/);
    assert.equal(groupHeat(GROUPED, undefined)!.data.rows.length, 4 * 25, 'the file has all pipelines');
  });
});

describe('sycophancy', () => {
  test('has no mark if Δ is undefined', () => {
    const chart = sycophancyChart(COMPARED)!;
    assert.deepEqual(
      chart.rows.map(({ values }) => values[2] === undefined),
      [false, false, false, true],
    );
  });
});

describe('perspective recall', () => {
  test('puts p-Recall and the root query before the groups', () => {
    const chart = perspectiveRecallChart(GROUPED)!;
    const { pRecall, rootRecall, byGroup } = GROUPED.pipelines[1]!.perspectiveRecall!;
    assert.deepEqual(chart.rows[1]!.values, [pRecall, rootRecall, ...byGroup.map(({ recall }) => recall)]);
  });
});

describe('rank movement', () => {
  test('labels supporting passages by perspective and announces only those', () => {
    const chart = rankMovement(COMPARED, MOVEMENT)!;
    assert.deepEqual(
      chart.passages.map(({ sign }) => sign),
      [{ letters: 'AB', hue: 0 }, undefined],
    );
    assert.deepEqual(chart.table.rows, [['Both', 'AB', '1', undefined, '10', '2']]);
    assert.equal(chart.data.rows.length, 2 * 4);
  });

  test('omits the ranks of a pipeline that could not be run', () => {
    const chart = rankMovement(FAILED, MOVEMENT)!;
    assert.deepEqual(chart.pipelines, ['BM25', 'Hybrid', 'BM25 + MMR']);
    assert.deepEqual(chart.passages[0]!.ranks, [1, 10, 2]);
  });

  test('is missing for a query of another data set', () => {
    assert.equal(rankMovement(COMPARED, { ...MOVEMENT, queryId: 'gone' }), undefined);
  });
});

describe('looks', () => {
  test('of forty pipelines differ even without their colour', () => {
    const looks = Array.from({ length: 35 }, (_, index) => lookOf(index));
    assert.equal(new Set(looks.map(({ dash, symbol }) => `${dash} ${symbol}`)).size, 35);
    const forty = Array.from({ length: 40 }, (_, index) => lookOf(index));
    assert.equal(new Set(forty.map(({ hue, dash }) => `${hue} ${dash}`)).size, 40);
  });
});

describe('labels', () => {
  test('keep their order and distance when spread, and stay inside if there is room', () => {
    const wanted = fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { minLength: 1, maxLength: 14 });
    fc.assert(
      fc.property(wanted, (places) => {
        const spreadOut = spread(places, 14, 0, 200);
        const order = places.map((_, index) => index).toSorted((a, b) => places[a]! - places[b]!);
        order.slice(1).forEach((index, row) => {
          assert.ok(spreadOut[index]! - spreadOut[order[row]!]! >= 14 - 1e-9);
        });
        for (const at of spreadOut) assert.ok(at >= -1e-9 && at <= 200 + 1e-9);
      }),
    );
  });

  test('do not move if they have room', () => {
    assert.deepEqual(spread([100, 10, 50], 14, 0, 200), [100, 10, 50]);
  });

  test('beside points neither overlap nor leave the frame', () => {
    const coordinate = fc.double({ min: 20, max: 380, noNaN: true });
    const frame: Box = { x: 0, y: 0, width: 400, height: 400 };
    const points = fc.array(fc.record({ x: coordinate, y: coordinate }), { maxLength: 24 });
    fc.assert(
      fc.property(points, (all) => {
        const placed = besidePoints(
          all,
          all.map(() => 90),
          frame,
        ).flatMap((at) => at ?? []);
        placed.forEach((one, index) => {
          assert.ok(one.x >= 0 && one.x + 90 <= 400 && one.y >= 6.5 && one.y <= 393.5);
          for (const other of placed.slice(index + 1))
            assert.ok(Math.abs(one.x - other.x) >= 90 || Math.abs(one.y - other.y) >= 13);
        });
      }),
    );
  });
});

describe('files', () => {
  test('with numbers quote text, disable formulas and leave unknown figures empty', () => {
    const table = {
      columns: ['name', 'value'],
      rows: [
        ['=1+1 "x"', -0.5],
        ['b', undefined],
      ],
    };
    assert.equal(chartCsv(table), '"name","value"\r\n"\'=1+1 ""x""",-0.5\r\n"b",\r\n');
  });

  test('with pictures use portable colours', () => {
    assert.equal(plainColour('color(srgb 1 0.5 0)'), 'rgb(255, 128, 0)');
    assert.equal(plainColour('color(srgb 0 0 1 / 0.25)'), 'rgba(0, 0, 255, 0.25)');
    assert.equal(plainColour('rgb(1, 2, 3)'), 'rgb(1, 2, 3)');
  });
});

describe('differences', () => {
  const of = (low: number, high: number, p?: number): string =>
    direction({
      value: (low + high) / 2,
      low,
      high,
      ...(p === undefined ? {} : { p }),
    });

  test('are reported only if interval and test agree', () => {
    assert.equal(of(0.01, 0.2, 0.03), 'better');
    assert.equal(of(-0.2, -0.01, 0.03), 'worse');
    assert.equal(of(-0.2, -0.01), 'open', 'without a test nothing is claimed');
    assert.equal(of(0.01, 0.2, 0.05), 'open');
    assert.equal(of(-0.01, 0.2, 0.03), 'unclear');
    assert.equal(of(0, 0.2, 0.03), 'unclear');
  });

  test('have p-values that rounding never moves across .05 or to 0', () => {
    assert.deepEqual([0.0004, 0.001, 0.031, 0.0499, 0.05, 0.0996, 0.31, 0.996, 1].map(shortP), [
      '< .001',
      '.001',
      '.031',
      '< .05',
      '.050',
      '.10',
      '.31',
      '1',
      '1',
    ]);
  });
});
