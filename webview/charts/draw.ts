/**
 * Pictures of charts, by Observable Plot. Only this module and what it alone imports know the library: they are loaded
 * with the first chart that comes into sight.
 *
 * Colours are variables of charts.css, so that a picture follows the theme without being drawn again.
 */
import * as Plot from '@observablehq/plot';
import type {
  Axis,
  Chart,
  CurvesChart,
  DotsChart,
  HeatChart,
  LinesChart,
  Look,
  MovementChart,
  ScatterChart,
} from './chart.ts';
import { drawTimeline } from './draw-timeline.ts';
import { besidePoints, spread } from './label-places.ts';
import {
  axisOptions,
  colour,
  cut,
  GROUND,
  LETTER,
  LINE,
  MUTED,
  pixelAxis,
  plot,
  segment,
  share,
  widthOf,
  type Margins,
  type Picture,
  type PixelAxis,
  type Size,
} from './plotting.ts';
import { strings } from './strings.ts';

/** @param width of the space there is, in pixels; a picture may be wider and is scrolled then */
export function drawChart(chart: Chart, width: number): Picture {
  switch (chart.kind) {
    case 'curves':
      return { svg: drawCurves(chart, width) };
    case 'lines':
      return { svg: drawLines(chart, width) };
    case 'scatter':
      return { svg: drawScatter(chart, width) };
    case 'dots':
      return { svg: drawDots(chart, width) };
    case 'heat':
      return drawHeat(chart, width);
    case 'movement':
      return { svg: drawMovement(chart, width) };
    case 'timeline':
      return drawTimeline(chart, width);
  }
}

/** Widths of what stands between the end of a line and its name. */
const LEADER = 12;
const SAMPLE = 18;
const MOST_LEADERS = 8;

/** Coverage over k. */
function drawCurves({ x, y, k, series }: CurvesChart, width: number): SVGSVGElement {
  const labels = series.map(({ name }) => cut(name));
  const margins: Margins = {
    marginTop: 18,
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
      ticks: ticksUpTo(depth),
      tickFormat: String,
    },
    y: { domain: up.domain, ...axisOptions(y), grid: true },
    marks: [
      Plot.ruleX([k], { stroke: MUTED, strokeDasharray: '1 3' }),
      Plot.text([k], {
        x: (value: number) => value,
        frameAnchor: 'top',
        dy: -11,
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
          // Many leaders would be one tangle; the sample beside the name tells which line it is.
          ...(series.length > MOST_LEADERS
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

function ticksUpTo(depth: number): number[] {
  return [1, 2, 5, 10, 20, 50, 100].filter((tick) => tick <= depth);
}

/** Figures over a count. A single line needs no name: the axis has it. */
function drawLines({ x, first, y, series }: LinesChart, width: number): SVGSVGElement {
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
      ...(y.share && most < 0.05 ? { tickFormat: fineShare } : {}),
      ticks: 5,
      grid: true,
    },
    symbol: { domain: series.map(({ name }) => name), range: series.map(({ look }) => look.symbol) },
    marks: series.flatMap(({ name, look, values }, index) => {
      const points = values.map((value, at) => ({ at: first + at, value, name }));
      return [
        Plot.line(points, {
          ...{ x: 'at', y: 'value', stroke: colour(look), strokeDasharray: look.dash, strokeWidth: 2 },
        }),
        Plot.dot(
          points.filter(({ value }) => value !== undefined),
          {
            ...{ x: 'at', y: 'value', symbol: 'name', r: 3.5, fill: colour(look), stroke: GROUND },
            title: ({ at, value = 0 }: (typeof points)[number]) =>
              `${name}, ${at}: ${y.share ? fineShare(value) : strings.figure(value)}`,
          },
        ),
        ...(labels.length === 0
          ? []
          : [
              Plot.text([up.toValue(places[index]!)], {
                ...{ x: () => last, y: (at: number) => at, dx: 9, textAnchor: 'start' },
                text: () => labels[index]!,
              }),
            ]),
      ];
    }),
  });
}

const fineShare = (value: number): string => `${(value * 100).toFixed(1)}%`;

/** Whole numbers, as many as there is room for. */
function wholeTicks(first: number, last: number, width: number): number[] {
  const step = Math.max(1, Math.ceil((last - first + 1) / (width / 28)));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

/** One measure against another. */
function drawScatter({ x, y, points, queries }: ScatterChart, width: number): SVGSVGElement {
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
): { x: number; y: number; width: number; height: number } {
  return {
    x: marginLeft,
    y: marginTop,
    width: width - marginLeft - marginRight,
    height: height - marginTop - marginBottom,
  };
}

/** Values beyond this ratio are drawn on a logarithmic axis. */
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
  // Beyond 0 and 1 there are no shares, only the half of a mark.
  return pixelAxis('linear', isShare ? [Math.max(from, -0.04), Math.min(to, 1.04)] : [from, to], range);
}

/** Rows of marks on one axis. */
function drawDots({ x, zero, forms, rows }: DotsChart, width: number): SVGSVGElement {
  const labels = rows.map(({ name }) => cut(name));
  const legend = legendLines(
    forms.map(({ name }) => cut(name, LONGEST_IN_LEGEND)),
    width - 24,
  );
  const margins: Margins = {
    marginTop: legend.height + 12,
    marginRight: 20,
    marginBottom: 34,
    marginLeft: Math.min(Math.max(...labels.map(widthOf)) + 12, width * 0.4),
  };
  const marks = rows.flatMap(({ values }, row) =>
    values.flatMap((value, form) => (value === undefined ? [] : [{ row, form, value }])),
  );
  const values = marks.map(({ value }) => value);
  const domain = x.share
    ? [0, 1]
    : [Math.min(zero ?? 0, ...values) - 0.05, Math.max(zero ?? 0, ...values) + 0.05];
  return plot({
    width,
    height: margins.marginTop + rows.length * 24 + margins.marginBottom,
    ...margins,
    x: { domain, ...axisOptions(x), grid: true },
    y: {
      type: 'band',
      domain: rows.map((_, row) => row),
      label: null,
      tickSize: 0,
      tickFormat: (row: number) => labels[row]!,
    },
    symbol: { domain: forms.map((_, form) => form), range: forms.map(({ look }) => look.symbol) },
    marks: [
      ...(zero === undefined ? [] : [Plot.ruleX([zero], { stroke: MUTED })]),
      Plot.ruleY(
        rows.flatMap(({ values: own }, row) => rangeOf(own).map((range) => ({ row, ...range }))),
        { y: 'row', x1: 'least', x2: 'most', stroke: MUTED, strokeOpacity: 0.6 },
      ),
      Plot.dot(marks, {
        x: 'value',
        y: 'row',
        symbol: 'form',
        r: 5,
        fill: ({ form }: { form: number }) => colour(forms[form]!.look),
        stroke: GROUND,
        strokeWidth: 1,
        title: ({ row, form, value }: { row: number; form: number; value: number }) =>
          `${rows[row]!.name}, ${forms[form]!.name}: ${x.share ? share(value) : value.toFixed(2)}`,
      }),
      ...forms.flatMap(({ name, look }, form) => {
        const { left, line } = legend.places[form]!;
        const dy = line * LINE - margins.marginTop + 10;
        return [
          Plot.dot([0], {
            ...{ frameAnchor: 'top-left', dx: left - margins.marginLeft + 8, dy },
            ...{ symbol: () => form, r: 5, fill: colour(look), stroke: 'none' },
          }),
          Plot.text([0], {
            ...{ frameAnchor: 'top-left', dx: left - margins.marginLeft + 18, dy: dy - 5 },
            ...{ text: () => cut(name, LONGEST_IN_LEGEND), textAnchor: 'start' },
          }),
        ];
      }),
    ],
  });
}

function rangeOf(values: readonly (number | undefined)[]): { least: number; most: number }[] {
  const known = values.filter((value) => value !== undefined);
  return known.length > 1 ? [{ least: Math.min(...known), most: Math.max(...known) }] : [];
}

/** A legend has a line of its own, or more. */
const LONGEST_IN_LEGEND = 64;

/** Where the entries of a legend go: beside each other while there is room, then on the next line. */
function legendLines(
  names: readonly string[],
  width: number,
): { readonly places: readonly { left: number; line: number }[]; readonly height: number } {
  let [left, line] = [0, 0];
  const places = names.map((name) => {
    const needed = widthOf(name) + 28;
    if (left > 0 && left + needed > width) [left, line] = [0, line + 1];
    const place = { left, line };
    left += needed;
    return place;
  });
  return { places, height: (line + 1) * LINE };
}

/** How dense the fullest cell is where a figure stands in it; more would cost the figure its contrast. */
const DENSEST_UNDER_TEXT = 0.36;
const NARROWEST_CELL = 3.5;

/** Cells in shades. */
function drawHeat(chart: HeatChart, width: number): Picture {
  const { rows, columns, rowsAre, columnsAre, shares } = chart;
  const labels = rows.map((name) => cut(name));
  const left = Math.min(Math.max(...labels.map(widthOf)) + 12, width * 0.4);
  const full = Math.max(width, left + 12 + columns.length * NARROWEST_CELL);
  const cell = (full - left - 12) / columns.length;
  const named = cell >= 44;
  const cells = rows.flatMap((_, row) =>
    columns.map((__, column) => ({ row, column, share: shares[row]![column] })),
  );
  const most = named ? Math.max(0.001, ...cells.map((one) => one.share ?? 0)) : 1;
  const title = ({ row, column, share: value }: (typeof cells)[number]): string =>
    `${rows[row]!}, ${columns[column]!}: ${value === undefined ? strings.unknown() : share(value)}`;
  const place = { x: 'column', y: 'row' };
  const svg = plot({
    width: full,
    height: rows.length * (named ? 28 : 20) + (named ? 44 : 26),
    marginTop: named ? 40 : 24,
    marginRight: 12,
    marginBottom: 2,
    marginLeft: left,
    padding: named ? 0.06 : cell > 7 ? 0.14 : 0,
    x: {
      type: 'band',
      domain: columns.map((_, index) => index),
      axis: 'top',
      label: named ? `${rowsAre} ↓   ${columnsAre} →` : `${columnsAre} →`,
      labelAnchor: 'left',
      labelArrow: 'none',
      tickSize: 0,
      ...(named
        ? { tickFormat: (index: number) => cut(columns[index]!, Math.floor(cell / LETTER)) }
        : { ticks: [] }),
    },
    y: {
      type: 'band',
      domain: rows.map((_, index) => index),
      label: null,
      tickSize: 0,
      tickFormat: (index: number) => labels[index]!,
    },
    marks: [
      Plot.cell(cells, {
        ...place,
        fill: 'var(--series-0)',
        fillOpacity: ({ share: value }: (typeof cells)[number]) =>
          ((value ?? 0) / most) * (named ? DENSEST_UNDER_TEXT : 1),
        stroke: MUTED,
        strokeOpacity: 0.35,
        strokeWidth: 0.5,
        title,
      }),
      Plot.text(
        cells.filter((one) => one.share === undefined || named),
        {
          ...place,
          text: ({ share: value }: (typeof cells)[number]) =>
            value === undefined ? (cell > 7 ? '?' : '·') : share(value),
          fill: 'currentColor',
          pointerEvents: 'none',
        },
      ),
    ],
  });
  if (!chart.pickable) return { svg };
  svg.classList.add('pickable');
  const group = svg.querySelector('g:has(> rect)');
  return {
    svg,
    pickedBy: ({ target }) => {
      const at = target instanceof Element && group ? [...group.children].indexOf(target) : -1;
      return at < 0 ? undefined : { row: Math.floor(at / columns.length), column: at % columns.length };
    },
  };
}

const RANK_HEIGHT = 19;
const NARROWEST_STEP = 62;

/** Passages from pipeline to pipeline. */
function drawMovement(chart: MovementChart, width: number): SVGSVGElement {
  const { pipelines, depth, k } = chart;
  const passages = chart.passages.map((passage, id) => ({ ...passage, id }));
  const signed = passages.filter(({ sign }) => sign);
  const titled = width >= 640 && signed.length > 0;
  const names = pipelines.map((name) => cut(name, 16));
  const margins: Margins = {
    marginTop: 46,
    marginRight: titled ? 210 : Math.max(30, widthOf(names.at(-1)!) / 2),
    marginBottom: 12,
    marginLeft: 62,
  };
  const full = Math.max(width, margins.marginLeft + margins.marginRight + pipelines.length * NARROWEST_STEP);
  const step = (full - margins.marginLeft - margins.marginRight) / Math.max(1, pipelines.length - 1);
  // Supporting passages that a pipeline does not have within the depth go to a line of their own below it.
  const below = new Map(signed.map(({ id }, row) => [id, depth + 1.4 + row * 0.9]));
  const last = depth + (signed.length > 0 ? 0.9 + signed.length * 0.9 : 0.4);
  const height = margins.marginTop + margins.marginBottom + (last - 0.4) * RANK_HEIGHT;
  const up = pixelAxis('linear', [0.4, last], [margins.marginTop, height - margins.marginBottom]);
  const places = passages.flatMap(({ id, title, sign, ranks }) =>
    ranks.map((rank, column) => ({
      id,
      column,
      rank,
      sign,
      at: rank ?? below.get(id) ?? Number.NaN,
      said: `${title}\n${pipelines[column]!}: ${rank === null ? strings.belowDepth(depth) : strings.rank(rank)}`,
    })),
  );
  const [plain, marked] = [places.filter(({ sign }) => !sign), places.filter(({ sign }) => sign)];
  const hue = ({ sign }: (typeof places)[number]): string => colour(sign!);
  const xy = { x: 'column', y: 'at', z: 'id' };
  const ends = signed.map(({ id, ranks }) => up.toPixel(ranks.at(-1) ?? below.get(id)!));
  const titles = spread(ends, LINE, margins.marginTop, height - margins.marginBottom);
  return plot({
    width: full,
    height,
    ...margins,
    x: {
      type: 'point',
      domain: pipelines.map((_, column) => column),
      padding: pipelines.length === 1 ? 0.5 : 0,
      insetLeft: 14,
      axis: 'top',
      label: null,
      tickSize: 0,
      tickPadding: 8,
      tickFormat: (column: number) => (step > 150 ? cut(pipelines[column]!) : names[column]!),
      ...(step < 110 ? { tickRotate: -18 } : {}),
    },
    y: {
      type: 'linear',
      domain: up.domain,
      reverse: false,
      range: [margins.marginTop, height - margins.marginBottom],
      label: strings.rankAxis(),
      labelArrow: 'none',
      labelAnchor: 'top',
      ticks: ticksOfRanks(depth, k),
      tickFormat: String,
      tickSize: 0,
      grid: false,
    },
    marks: [
      Plot.ruleY([k + 0.5], { stroke: MUTED, strokeDasharray: '4 3' }),
      ...(signed.length > 0
        ? [
            Plot.ruleY([depth + 0.7], { stroke: MUTED, strokeOpacity: 0.4 }),
            Plot.text([(depth + 0.9 + last) / 2], {
              ...{ frameAnchor: 'left', y: (value: number) => value, dx: -8 },
              ...{ text: () => `> ${depth}`, textAnchor: 'end', fill: MUTED },
            }),
          ]
        : []),
      Plot.line(plain, { ...xy, stroke: MUTED, strokeOpacity: 0.35, strokeWidth: 1 }),
      Plot.dot(plain, { ...xy, r: 2.5, fill: MUTED, fillOpacity: 0.6, title: 'said' }),
      Plot.line(marked, { ...xy, stroke: hue, strokeWidth: 2.5 }),
      Plot.dot(marked, {
        ...{ x: 'column', y: 'at', r: 8.5, fill: GROUND, stroke: hue, strokeWidth: 2, title: 'said' },
      }),
      Plot.text(marked, {
        ...{ x: 'column', y: 'at', text: ({ sign }: (typeof places)[number]) => cut(sign!.letters, 3) },
        ...{ fill: 'currentColor', fontWeight: 600, pointerEvents: 'none' },
      }),
      ...(titled
        ? [
            Plot.text(signed, {
              ...{ frameAnchor: 'right', dx: 16, textAnchor: 'start', fill: 'currentColor' },
              y: (_passage: unknown, index: number) => up.toValue(titles[index]!),
              text: ({ title, sign }: (typeof signed)[number]) => cut(`${sign!.letters}  ${title}`, 31),
              title: 'title',
            }),
          ]
        : []),
    ],
  });
}

function ticksOfRanks(depth: number, k: number): number[] {
  const every = depth <= 12 ? 1 : 5;
  return Array.from({ length: depth }, (_, index) => index + 1).filter(
    (rank) => rank === 1 || rank === k || rank % every === 0,
  );
}
