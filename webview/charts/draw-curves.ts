/** Draws coverage over k: a curve for each pipeline, with its name at the end. */
import * as Plot from '@observablehq/plot';
import type { Axis, ChartBase, Look } from './chart.ts';
import { spread } from './label-places.ts';
import {
  axisOptions,
  colour,
  cut,
  LINE,
  MUTED,
  pixelAxis,
  plot,
  segment,
  widthOf,
  type Margins,
} from './plotting.ts';

/** Lines over an axis of whole numbers from 1. */
export interface CurvesChart extends ChartBase {
  readonly kind: 'curves';
  readonly x: string;
  readonly y: Axis;
  /** The k of the comparison, which is marked. */
  readonly k: number;
  readonly series: readonly {
    readonly name: string;
    readonly look: Look;
    readonly values: readonly number[];
  }[];
}

/** Widths of the leader and the sample between the end of a line and its name. */
const LEADER = 12;
const SAMPLE = 18;
const MAX_LEADERS = 8;
/** Pixels between numbers below the axis. */
const TICK_ROOM = 22;

export function drawCurves({ x, y, k, series }: CurvesChart, width: number): SVGSVGElement {
  const labels = series.map(({ name }) => cut(name));
  const margins: Margins = {
    marginTop: 24,
    marginRight: Math.min(Math.max(...labels.map(widthOf)) + LEADER + SAMPLE + 5, width * 0.45),
    marginBottom: 34,
    marginLeft: 44,
  };
  const size = { width, height: Math.max(280, series.length * LINE + 56) };
  const depth = Math.max(...series.map(({ values }) => values.length));
  const across = pixelAxis('log', [1, depth], [margins.marginLeft, width - margins.marginRight]);
  const bottom = size.height - margins.marginBottom;
  const up = pixelAxis('linear', [0, 1], [bottom, margins.marginTop]);
  const ends = series.map(({ values }) => up.toPixel(values.at(-1) ?? 0));
  const places = spread(ends, LINE, margins.marginTop, bottom);
  const right = (pixels: number): number => across.toValue(width - margins.marginRight + pixels);
  return plot({
    ...size,
    ...margins,
    x: {
      type: 'log',
      domain: across.domain,
      label: x,
      labelArrow: 'none',
      ticks: ticksUpTo(depth, (tick) => across.toPixel(tick)),
      tickFormat: String,
    },
    y: { domain: up.domain, ...axisOptions(y), grid: true },
    marks: [
      Plot.ruleX([k], { stroke: MUTED, strokeDasharray: '1 3' }),
      // Inside the frame, because the label of the axis is above it.
      Plot.text([k], {
        x: (value: number) => value,
        frameAnchor: 'top',
        lineAnchor: 'top',
        dy: 3,
        ...(across.toPixel(k) < (margins.marginLeft + width - margins.marginRight) / 2
          ? { textAnchor: 'start' as const, dx: 4 }
          : { textAnchor: 'end' as const, dx: -4 }),
        text: () => `k = ${k}`,
        fill: MUTED,
      }),
      ...series.flatMap(({ name, look, values }, index) => {
        const [end, place] = [values.at(-1) ?? 0, up.toValue(places[index]!)];
        const stroke = { stroke: colour(look), strokeDasharray: look.dash };
        const sample = { y1: place, y2: place, x1: right(LEADER), x2: right(LEADER + SAMPLE) };
        return [
          Plot.line(values, {
            ...stroke,
            x: (_value: number, at: number) => at + 1,
            y: (value: number) => value,
            strokeWidth: 2,
            title: () => name,
          }),
          // Many leaders would overlap; the sample beside the name identifies the line.
          ...(series.length > MAX_LEADERS
            ? []
            : [segment({ x1: depth, y1: end, x2: right(LEADER), y2: place }, { stroke: MUTED })]),
          segment(sample, { ...stroke, strokeWidth: 2 }),
          Plot.text([place], {
            x: () => right(LEADER + SAMPLE + 5),
            y: (at: number) => at,
            text: () => labels[index]!,
            title: () => name,
            textAnchor: 'start',
          }),
        ];
      }),
    ],
  });
}

/** Ticks whose numbers do not overlap. */
function ticksUpTo(depth: number, toPixel: (value: number) => number): number[] {
  const ticks: number[] = [];
  for (const tick of [1, 2, 5, 10, 20, 50, 100].filter((each) => each <= depth)) {
    const before = ticks.at(-1);
    if (before === undefined || toPixel(tick) - toPixel(before) > TICK_ROOM) ticks.push(tick);
  }
  return ticks;
}
