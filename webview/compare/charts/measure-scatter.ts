/** One measure against another, a point for each pipeline. Pure. */
import * as l10n from '@vscode/l10n';
import type { QueryEvaluation } from '../../../src/evaluation/evaluation.ts';
import { lookOf, type Axis } from '../../charts/chart.ts';
import type { ScatterChart } from '../../charts/draw-scatter.ts';
import { counted } from '../../../src/core/counted.ts';
import type { ComparedContext } from '../draft.ts';
import { ranPipelines, type RanPipeline } from '../outcomes.ts';
import { figureOf } from '../queries/lead.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import type { ChartControl, CompareChart } from './compare-chart.ts';

const words = {
  timeAxis: () => l10n.t('Time (ms)'),
  scatterDescription: (pipelines: number, y: string, x: string) =>
    counted(l10n.t('{1} against {2}, one point for each of {0} [0:pipeline|pipelines].'), pipelines, y, x),
};

/** A figure that can be an axis. */
export interface AxisChoice extends Axis {
  readonly name: string;
  value(pipeline: RanPipeline): number | undefined;
  /** The value of a single query, if the comparison contains it. */
  query?(query: QueryEvaluation, index: number): number | undefined;
}

/** The measures, then other figures of a pipeline; only those that at least one pipeline has. */
export function axisChoices(set: ShownSet): AxisChoice[] {
  const measures = set.measures.map((name): AxisChoice => {
    const perQuery = set.queries.some((query) => figureOf(set, query, name, 0) !== undefined);
    return {
      name,
      label: name,
      share: true,
      value: ({ measures: figures }) => figures[name]?.value,
      ...(perQuery ? { query: (query, index) => figureOf(set, query, name, index) } : {}),
    };
  });
  const furtherChoices: AxisChoice[] = [
    { name: 'judged', label: compareWords.judged(), share: true, value: ({ judged }) => judged },
    { name: 'set-size', label: compareWords.setSize(), share: false, value: ({ setSize }) => setSize?.mean },
    { name: 'time', label: words.timeAxis(), share: false, value: ({ milliseconds }) => milliseconds },
  ];
  const ran = ranPipelines(set);
  return [...measures, ...furtherChoices].filter((one) =>
    ran.some((pipeline) => one.value(pipeline) !== undefined),
  );
}

export interface ScatterOptions {
  readonly x: string | undefined;
  readonly y: string | undefined;
  readonly queries: boolean;
}

/** The chosen axes if the data set has them, else the second and the first measure. */
export function chosenAxes(
  choices: readonly AxisChoice[],
  { x, y }: Pick<ScatterOptions, 'x' | 'y'>,
): { readonly x: AxisChoice; readonly y: AxisChoice } | undefined {
  const named = (name: string | undefined): AxisChoice | undefined =>
    choices.find((one) => one.name === name);
  const across = named(x) ?? choices[1] ?? choices[0];
  const up = named(y) ?? choices[0];
  return across && up && { x: across, y: up };
}

/** `undefined` if there is nothing to draw. */
export function measureScatter(set: ShownSet, options: ScatterOptions): ScatterChart | undefined {
  const axes = chosenAxes(axisChoices(set), options);
  const points = axes ? pointsOf(set, axes) : [];
  if (!axes || points.length === 0) return undefined;
  const { x, y } = axes;
  const queries = options.queries ? queryPoints(set, axes) : [];
  return {
    kind: 'scatter',
    key: `scatter ${set.id} ${set.name} ${x.name} ${y.name} ${queries.length}`,
    name: `${y.name} against ${x.name} ${set.name}`,
    description: words.scatterDescription(points.length, y.label, x.label),
    x,
    y,
    points,
    queries,
    table: {
      columns: [compareWords.pipeline(), x.label, y.label],
      rows: points.map((point) => [point.name, point.x, point.y]),
    },
    data: {
      columns: ['pipeline', 'query', x.name, y.name],
      rows: [
        ...points.map((point) => [point.name, 'all', point.x, point.y]),
        ...queries.map((one) => [one.name, one.id, one.exact.x, one.exact.y]),
      ],
    },
  };
}

function pointsOf(
  set: ShownSet,
  { x, y }: { readonly x: AxisChoice; readonly y: AxisChoice },
): ScatterChart['points'] {
  return ranPipelines(set).flatMap((pipeline) => {
    const at = { x: x.value(pipeline), y: y.value(pipeline) };
    return at.x === undefined || at.y === undefined
      ? []
      : [{ name: pipeline.name, look: lookOf(pipeline.index), x: at.x, y: at.y }];
  });
}

/** The largest jitter of a query, as a share of the axis. */
const JITTER = 0.025;

function queryPoints(
  set: ShownSet,
  { x, y }: { readonly x: AxisChoice; readonly y: AxisChoice },
): (ScatterChart['queries'][number] & {
  readonly name: string;
  readonly id: string;
  readonly exact: { readonly x: number; readonly y: number };
})[] {
  return ranPipelines(set).flatMap(({ name, index }) =>
    set.queries.flatMap((query, row) => {
      const exact = { x: x.query?.(query, index), y: y.query?.(query, index) };
      if (exact.x === undefined || exact.y === undefined) return [];
      // Two irrational steps spread the queries evenly over the square, and the same each time.
      const seed = row * set.pipelines.length + index + 1;
      return [
        {
          name,
          id: query.id,
          look: lookOf(index),
          x: exact.x + jitter(seed * 0.754_877_666),
          y: exact.y + jitter(seed * 0.569_840_296),
          exact: { x: exact.x, y: exact.y },
        },
      ];
    }),
  );
}

function jitter(step: number): number {
  return ((step % 1) - 0.5) * 2 * JITTER;
}

function axisControls({ set, draft, actions }: ComparedContext): ChartControl[] {
  const choices = axisChoices(set);
  const axes = chosenAxes(choices, draft.axes);
  if (!axes) return [];
  const options = choices.map(({ name, label }) => ({ value: name, label }));
  const perQuery = axes.x.query !== undefined && axes.y.query !== undefined;
  return [
    {
      type: 'dropdown',
      label: l10n.t({ message: 'X axis', comment: 'What the horizontal axis of a chart shows' }),
      value: axes.x.name,
      choices: options,
      testId: 'scatter-x',
      onChange: (x) => actions.edit({ axes: { ...draft.axes, x } }),
    },
    {
      type: 'dropdown',
      label: l10n.t({ message: 'Y axis', comment: 'What the vertical axis of a chart shows' }),
      value: axes.y.name,
      choices: options,
      testId: 'scatter-y',
      onChange: (y) => actions.edit({ axes: { ...draft.axes, y } }),
    },
    ...(perQuery
      ? [queryControl(draft.axes, (queries) => actions.edit({ axes: { ...draft.axes, queries } }))]
      : []),
  ];
}

function queryControl({ queries }: ScatterOptions, onChange: (checked: boolean) => void): ChartControl {
  const label = l10n.t('Each question, moved apart a little');
  return { type: 'check', label, checked: queries, testId: 'scatter-queries', onChange };
}

export const MEASURE_SCATTER: CompareChart = {
  name: 'scatter',
  label: () => l10n.t('Scatter'),
  note: () => l10n.t('one measure against another'),
  chart: ({ set, draft }) => measureScatter(set, draft.axes),
  controls: axisControls,
};
