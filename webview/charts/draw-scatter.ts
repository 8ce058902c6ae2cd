/** Draws one measure against another: a large mark for each pipeline, small ones for queries. */
import * as Plot from '@observablehq/plot';
import type { Axis, ChartBase, Look } from './chart.ts';
import { besidePoints, type Box } from './label-places.ts';
import {
  axisOptions,
  colour,
  cut,
  GROUND,
  pixelAxis,
  plot,
  widthOf,
  type Margins,
  type PixelAxis,
  type Size,
} from './plotting.ts';

export interface ScatterChart extends ChartBase {
  readonly kind: 'scatter';
  readonly x: Axis;
  readonly y: Axis;
  readonly points: readonly {
    readonly name: string;
    readonly look: Look;
    readonly x: number;
    readonly y: number;
  }[];
  /** Single queries, jittered, because many have the same figures. */
  readonly queries: readonly { readonly look: Look; readonly x: number; readonly y: number }[];
}

export function drawScatter({ x, y, points, queries }: ScatterChart, width: number): SVGSVGElement {
  const margins: Margins = { marginTop: 22, marginRight: 24, marginBottom: 36, marginLeft: 52 };
  const size = { width, height: Math.min(Math.max(300, width * 0.5), 440) };
  const across = scatterAxis(
    x,
    [...points, ...queries].map((one) => one.x),
    [margins.marginLeft, width - margins.marginRight],
  );
  const up = scatterAxis(
    y,
    [...points, ...queries].map((one) => one.y),
    [size.height - margins.marginBottom, margins.marginTop],
  );
  const names = points.map(({ name }) => name);
  const labels = besidePoints(
    points.map((point) => ({ x: across.toPixel(point.x), y: up.toPixel(point.y) })),
    names.map((name) => widthOf(cut(name))),
    frameOf(size, margins),
  ).flatMap((at, index) =>
    at ? [{ x: across.toValue(at.x), y: up.toValue(at.y), name: names[index]!, point: points[index]! }] : [],
  );
  return plot({
    ...size,
    ...margins,
    x: { type: across.type, domain: across.domain, ...axisOptions(x), grid: true },
    y: { type: up.type, domain: up.domain, ...axisOptions(y), grid: true },
    symbol: { domain: names, range: points.map(({ look }) => look.symbol) },
    marks: [
      Plot.dot(queries, { x: 'x', y: 'y', r: 1.8, fill: colourOf, fillOpacity: 0.55, stroke: 'none' }),
      Plot.dot(points, {
        x: 'x',
        y: 'y',
        symbol: 'name',
        r: 5.5,
        fill: colourOf,
        stroke: GROUND,
        strokeWidth: 1,
        title: ({ name }: { name: string }) => name,
      }),
      Plot.text(labels, {
        x: 'x',
        y: 'y',
        text: ({ name }: { name: string }) => cut(name),
        title: 'name',
        textAnchor: 'start',
        stroke: GROUND,
        strokeWidth: 3,
        fill: 'currentColor',
      }),
    ],
  });
}

const colourOf = ({ look }: { readonly look: Look }): string => colour(look);

function frameOf(
  { width, height }: Size,
  { marginTop, marginRight, marginBottom, marginLeft }: Margins,
): Box {
  return {
    x: marginLeft,
    y: marginTop,
    width: width - marginLeft - marginRight,
    height: height - marginTop - marginBottom,
  };
}

/** Values with a larger ratio use a logarithmic axis. */
const WIDE = 40;

function scatterAxis(
  { share: isShare }: Axis,
  values: readonly number[],
  range: readonly [number, number],
): PixelAxis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (!isShare && least > 0 && most / least > WIDE) return pixelAxis('log', [least / 1.4, most * 1.4], range);
  const pad = most === least ? Math.max(Math.abs(most) * 0.1, 0.05) : (most - least) * 0.1;
  const [from, to] = [least - pad, most + pad];
  // Shares end at 0 and 1; the axis extends only for half a mark.
  return pixelAxis('linear', isShare ? [Math.max(from, -0.04), Math.min(to, 1.04)] : [from, to], range);
}
