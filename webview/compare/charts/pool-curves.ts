/** How the number of holes grows with the pool, and how that changes the measures (DREAM, Figure 3). Pure. */
import * as l10n from '@vscode/l10n';
import type { PoolDatasetView } from '../../../src/shared/pool.ts';
import { lookOf, type Figure } from '../../charts/chart.ts';
import type { LinesChart } from '../../charts/draw-lines.ts';
import { number } from '../../components/words.ts';

const words = {
  poolSize: () => l10n.t('Pipelines in the pool'),
  othersInPool: () => l10n.t('Other pipelines in the pool'),
  holes: () => l10n.t('Holes found'),
  growth: () => l10n.t('Growth rate of holes'),
  marginal: () => l10n.t('Change by judging a pipeline’s own passages'),
  holesDescription: (pipelines: number, holes: number) =>
    l10n.t`Number of holes that pools of 1 to ${number.format(pipelines)} pipelines find, averaged over random orders; all together find ${number.format(holes)}.`,
  growthDescription: (pipelines: number) =>
    l10n.t`How much the number of holes grows with each further pipeline, up to ${number.format(pipelines)}, averaged over random orders.`,
  marginalDescription: (measures: readonly string[], pipelines: number) =>
    l10n.t`How much judging a pipeline’s own passages changes its ${measures.join(', ')} when up to ${number.format(pipelines - 1)} others have been judged before, averaged over random orders.`,
};

/** This many measures are always shown; the rest have a separate chart. */
const ALWAYS_SHOWN = 2;

type Line = LinesChart['series'][number];

/** Number of holes, their growth rate, and the marginal contribution of a pipeline to each measure. */
export function poolCurves(set: PoolDatasetView): LinesChart[] {
  const { growth, marginal, holes } = set;
  const rates = growth.rate.map((rate) => rate ?? undefined);
  const pipelines = growth.holes.length;
  const lineOf = (measure: keyof typeof marginal, place: number): Line => ({
    name: measure,
    look: lookOf(place),
    values: marginal[measure],
  });
  const measures = Object.keys(marginal) as (keyof typeof marginal)[];
  const together = [
    { name: 'marginal', measures: measures.slice(0, ALWAYS_SHOWN) },
    { name: 'marginal of others', measures: measures.slice(ALWAYS_SHOWN) },
  ];
  return [
    linesChart(set, 'holes', {
      description: words.holesDescription(pipelines, holes),
      x: words.poolSize(),
      first: 1,
      y: { label: words.holes(), share: false },
      series: [{ name: words.holes(), look: lookOf(0), values: growth.holes }],
    }),
    ...(rates.some((rate) => rate !== undefined)
      ? [
          linesChart(set, 'growth', {
            description: words.growthDescription(pipelines),
            x: words.poolSize(),
            // A pool of one pipeline has no growth rate.
            first: 1,
            y: { label: words.growth(), share: true },
            series: [{ name: words.growth(), look: lookOf(1), values: rates }],
          }),
        ]
      : []),
    ...together.map(({ name, measures }) =>
      linesChart(set, name, {
        description: words.marginalDescription(measures, pipelines),
        x: words.othersInPool(),
        first: 0,
        y: { label: words.marginal(), share: true },
        series: measures.map(lineOf),
      }),
    ),
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
