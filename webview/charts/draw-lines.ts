/** Draws figures over a count. */
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
  pixelAxis,
  plot,
  widthOf,
  type Margins,
} from './plotting.ts';
import { strings } from './strings.ts';

/** Lines over a count, with a mark for each point. */
export interface LinesChart extends ChartBase {
  readonly kind: 'lines';
  readonly x: string;
  /** The count of the first value. */
  readonly first: number;
  readonly y: Axis;
  readonly series: readonly {
    readonly name: string;
    readonly look: Look;
    /** `undefined` if there is no value. */
    readonly values: readonly (number | undefined)[];
  }[];
}

/** A single line needs no name, because the axis has it. */
export function drawLines({ x, first, y, series }: LinesChart, width: number): SVGSVGElement {
  const labels = series.length > 1 ? series.map(({ name }) => cut(name)) : [];
  const margins: Margins = {
    marginTop: 22,
    marginRight: Math.min(Math.max(14, ...labels.map((label) => widthOf(label) + 14)), width * 0.45),
    marginBottom: 36,
    marginLeft: 52,
  };
  const size = { width, height: 220 };
  const last = first + Math.max(...series.map(({ values }) => values.length)) - 1;
  const known = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const most = Math.max(...known, y.share ? 0.01 : 1);
  const bottom = size.height - margins.marginBottom;
  const up = pixelAxis('linear', [0, most * 1.05], [bottom, margins.marginTop]);
  const ends = series.map(({ values }) => up.toPixel(values.findLast((value) => value !== undefined) ?? 0));
  const places = spread(ends, LINE, margins.marginTop, bottom);
  return plot({
    ...size,
    ...margins,
    x: {
      domain: first === last ? [first - 1, last + 1] : [first, last],
      label: x,
      labelArrow: 'none',
      ticks: wholeTicks(first, last, width - margins.marginLeft - margins.marginRight),
      tickFormat: String,
    },
    y: {
      domain: up.domain,
      ...axisOptions(y),
      ...(y.share && most < 0.05 ? { tickFormat: shareText } : {}),
      ticks: 5,
      grid: true,
    },
    symbol: { domain: series.map(({ name }) => name), range: series.map(({ look }) => look.symbol) },
    marks: series.flatMap(({ name, look, values }, index) => {
      const points = values.map((value, at) => ({ at: first + at, value, name }));
      return [
        Plot.line(points, {
          x: 'at',
          y: 'value',
          stroke: colour(look),
          strokeDasharray: look.dash,
          strokeWidth: 2,
        }),
        Plot.dot(
          points.filter(({ value }) => value !== undefined),
          {
            x: 'at',
            y: 'value',
            symbol: 'name',
            r: 3.5,
            fill: colour(look),
            stroke: GROUND,
            title: ({ at, value = 0 }: (typeof points)[number]) =>
              `${name}, ${at}: ${y.share ? shareText(value) : strings.figure(value)}`,
          },
        ),
        ...(labels.length === 0
          ? []
          : [
              Plot.text([up.toValue(places[index]!)], {
                x: () => last,
                y: (at: number) => at,
                dx: 9,
                textAnchor: 'start',
                text: () => labels[index]!,
              }),
            ]),
      ];
    }),
  });
}

/** Whole numbers, as many as there is room for. */
function wholeTicks(first: number, last: number, width: number): number[] {
  const step = Math.max(1, Math.ceil((last - first + 1) / (width / 28)));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}
