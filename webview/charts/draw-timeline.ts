/** Draws figures of runs over time with their intervals, and below them the events between the runs. */
import * as Plot from '@observablehq/plot';
import { shareText } from '../components/figures.ts';
import type { Axis, ChartBase, Look } from './chart.ts';
import { spread } from './label-places.ts';
import {
  axisOptions,
  colour,
  cut,
  GROUND,
  LINE,
  MUTED,
  pixelAxis,
  plot,
  widthOf,
  type Margins,
  type Picture,
} from './plotting.ts';
import type { Figure } from '../../src/core/metrics/figures.ts';

/** Shares of runs, evenly spaced in their order, not by time. */
export interface TimelineChart extends ChartBase {
  readonly kind: 'timeline';
  readonly y: Axis;
  /** The times of the runs, oldest first. */
  readonly moments: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly look: Look;
    /** `undefined` if the run has no such figure. */
    readonly points: readonly (Figure | undefined)[];
  }[];
  /** A row of marks below the runs for each kind of event. */
  readonly events: readonly {
    readonly name: string;
    readonly sign: string;
    /** Indexes of runs. */
    readonly at: readonly number[];
    /** Whether a line through the chart marks the event. */
    readonly line: boolean;
  }[];
}

/** From this many runs on, intervals are drawn as bands, because whiskers would merge. */
const MANY_RUNS = 40;
/** From this many runs on, only the lines are drawn, without points. */
const CROWDED = 150;
const HEIGHT = 250;
const TICK_HEIGHT = 30;
const TICK_WIDTH = 96;
/** Distance between the points of one run, in runs, so that their whiskers do not overlap. */
const DODGE = 0.09;
/** The smallest height of the chart, in shares, so that small changes do not look large. */
const MIN_SPAN = 0.2;

interface Point {
  readonly at: number;
  readonly run: number;
  readonly series: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly title: string;
}

export function drawTimeline(chart: TimelineChart, width: number): Picture {
  const { y, moments, series, events } = chart;
  const labels = series.length > 1 ? series.map(({ name }) => cut(name)) : [];
  const marginLeft = Math.max(46, ...events.map(({ name }) => widthOf(name) + 6));
  // Half of the last label extends to the right of its run.
  const besideLast = TICK_WIDTH / 2 - (width - marginLeft) / (2 * moments.length);
  const margins: Margins = {
    marginTop: 20,
    marginRight: Math.min(
      Math.max(16, besideLast, ...labels.map((label) => widthOf(label) + 16)),
      width * 0.3,
    ),
    marginBottom: TICK_HEIGHT + events.length * LINE + 6,
    marginLeft,
  };
  const height = HEIGHT + events.length * LINE;
  const points = pointsOf(chart);
  const up = pixelAxis('linear', domainOf(points), [height - margins.marginBottom, margins.marginTop]);
  const last = moments.length - 1;
  const room = width - margins.marginLeft - margins.marginRight;
  const svg = plot({
    width,
    height,
    ...margins,
    x: {
      domain: [-0.5, last + 0.5],
      label: null,
      ticks: ticksOf(moments.length, room),
      tickFormat: (run: number) => moments[run] ?? '',
    },
    y: { domain: up.domain, ...axisOptions(y), label: null, ticks: 5, grid: true },
    symbol: { domain: series.map((_, index) => index), range: series.map(({ look }) => look.symbol) },
    marks: [
      ...events
        .filter(({ line }) => line)
        .map(({ at }) => Plot.ruleX(at, { stroke: MUTED, strokeDasharray: '1 3' })),
      ...series.flatMap((_, index) => seriesMarks(chart, index, points)),
      ...nameMarks(labels, points, up, last),
      ...events.flatMap((event, row) => eventMarks(event, row)),
    ],
  });
  return { svg, pickedBy: (event) => pickedRun(event, svg, points) };
}

function pointsOf({ moments, series }: TimelineChart): Point[] {
  const dodge = moments.length < MANY_RUNS ? DODGE : 0;
  return series.flatMap(({ name, points }, index) =>
    points.flatMap((point, run): Point[] => {
      if (!point) return [];
      const at = run + (index - (series.length - 1) / 2) * dodge;
      const figures = `${shareText(point.value)} [${shareText(point.low)}, ${shareText(point.high)}]`;
      return [{ ...point, at, run, series: index, title: `${name}, ${moments[run]!}: ${figures}` }];
    }),
  );
}

/** A domain that contains all intervals, within [0, 1]. */
function domainOf(points: readonly Point[]): [number, number] {
  const least = Math.min(...points.map(({ low }) => low));
  const most = Math.max(...points.map(({ high }) => high));
  const missing = Math.max(0, MIN_SPAN - (most - least)) / 2 + 0.03;
  return [Math.max(0, least - missing), Math.min(1, most + missing)];
}

function seriesMarks(
  { moments, series }: TimelineChart,
  index: number,
  all: readonly Point[],
): Plot.Markish[] {
  const { look } = series[index]!;
  const points = all.filter((point) => point.series === index);
  const stroke = colour(look);
  const interval =
    moments.length < MANY_RUNS
      ? Plot.ruleX(points, { x: 'at', y1: 'low', y2: 'high', stroke, strokeOpacity: 0.55, strokeWidth: 1.5 })
      : Plot.areaY(points, { x: 'at', y1: 'low', y2: 'high', fill: stroke, fillOpacity: 0.14 });
  const line = { x: 'at', y: 'value', stroke, strokeDasharray: look.dash, strokeWidth: 2 };
  if (moments.length >= CROWDED) return [interval, Plot.line(points, line)];
  return [
    interval,
    Plot.line(points, line),
    Plot.dot(points, {
      x: 'at',
      y: 'value',
      symbol: 'series',
      r: moments.length < MANY_RUNS ? 4 : 2.5,
      fill: stroke,
      stroke: GROUND,
      title: 'title',
    }),
  ];
}

/** The name of each line at its end; a single line needs none. */
function nameMarks(
  labels: readonly string[],
  points: readonly Point[],
  up: ReturnType<typeof pixelAxis>,
  last: number,
): Plot.Markish[] {
  const ends = labels.map((_, index) => points.findLast(({ series }) => series === index)?.value ?? 0);
  const places = spread(ends.map(up.toPixel), LINE, up.toPixel(up.domain[1]), up.toPixel(up.domain[0]));
  return labels.map((label, index) =>
    Plot.text([up.toValue(places[index]!)], {
      x: () => last + 0.5,
      y: (at: number) => at,
      dx: 6,
      textAnchor: 'start',
      text: () => label,
    }),
  );
}

function eventMarks({ name, sign, at }: TimelineChart['events'][number], row: number): Plot.Markish[] {
  const dy = TICK_HEIGHT + row * LINE;
  return [
    Plot.text([name], {
      frameAnchor: 'bottom-left',
      dx: -6,
      dy: dy + 5,
      textAnchor: 'end',
      text: (text: string) => text,
      fill: MUTED,
      lineAnchor: 'middle',
    }),
    Plot.text(at, {
      x: (run: number) => run,
      frameAnchor: 'bottom',
      dy: dy + 5,
      text: () => sign,
      lineAnchor: 'middle',
      fill: 'currentColor',
    }),
  ];
}

/** The newest run has a tick, and as many earlier runs as there is room for. */
function ticksOf(runs: number, room: number): number[] {
  const step = Math.max(1, Math.ceil(runs / Math.max(1, room / TICK_WIDTH)));
  return Array.from({ length: Math.ceil(runs / step) }, (_, index) => runs - 1 - index * step);
}

/** The clicked point: its series as the row, its run as the column. */
function pickedRun(
  event: Event,
  svg: SVGSVGElement,
  points: readonly Point[],
): { readonly row: number; readonly column: number } | undefined {
  const { target } = event;
  if (!(target instanceof Element) || !svg.contains(target)) return undefined;
  const title = target.querySelector('title')?.textContent;
  const point = points.find((one) => one.title === title);
  return point && { row: point.series, column: point.run };
}
