/** How holes come to light as the pool grows, and what that still changes (DREAM, Figure 3). Pure. */
import type { PoolDatasetView } from '../../../src/shared/pool.ts';
import { strings } from '../strings.ts';
import { lookOf, type Figure, type LinesChart } from '../../charts/chart.ts';

type Line = LinesChart['series'][number];

/** Number of holes, their growth rate, and the marginal contribution of a pipeline. */
export function poolCurves(set: PoolDatasetView): LinesChart[] {
  const { growth, marginal, holes } = set;
  const rates = growth.rate.map((rate) => rate ?? undefined);
  const pipelines = growth.holes.length;
  const own = (measure: keyof typeof marginal, place: number): Line => ({
    name: measure,
    look: lookOf(place),
    values: marginal[measure],
  });
  return [
    linesChart(set, 'holes', {
      description: strings.holesDescription(pipelines, holes),
      x: strings.poolSize(),
      first: 1,
      y: { label: strings.holes(), share: false },
      series: [{ name: strings.holes(), look: lookOf(0), values: growth.holes }],
    }),
    ...(rates.some((rate) => rate !== undefined)
      ? [
          linesChart(set, 'growth', {
            description: strings.growthDescription(pipelines),
            x: strings.poolSize(),
            // A pool of one pipeline has grown from nothing.
            first: 1,
            y: { label: strings.growth(), share: true },
            series: [{ name: strings.growth(), look: lookOf(1), values: rates }],
          }),
        ]
      : []),
    linesChart(set, 'marginal', {
      description: strings.marginalDescription(pipelines),
      x: strings.othersInPool(),
      first: 0,
      y: { label: strings.marginal(), share: true },
      series: [own('MRecall', 0), own('Precision', 1)],
    }),
  ];
}

function linesChart(
  { name }: PoolDatasetView,
  what: string,
  drawn: Pick<LinesChart, 'description' | 'x' | 'first' | 'y' | 'series'>,
): LinesChart {
  const { x, first, series } = drawn;
  const length = Math.max(...series.map(({ values }) => values.length));
  const places = Array.from({ length }, (_, index) => index);
  return {
    kind: 'lines',
    ...drawn,
    key: `pool ${what} ${name} ${JSON.stringify(series.map(({ values }) => values))}`,
    name: `pool ${what} ${name}`,
    table: {
      columns: [x, ...series.map((one) => one.name)],
      rows: places.map((at): Figure[] => [String(first + at), ...series.map(({ values }) => values[at])]),
    },
    data: {
      columns: ['series', 'pool', what],
      rows: series.flatMap((one) => one.values.map((value, at) => [one.name, first + at, value])),
    },
  };
}
