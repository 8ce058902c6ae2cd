/** Draws how the ranks of passages change between pipelines. */
import * as Plot from '@observablehq/plot';
import type { ChartBase } from './chart.ts';
import { spread } from './label-places.ts';
import { colour, cut, GROUND, LINE, MUTED, pixelAxis, plot, widthOf, type Margins } from './plotting.ts';
import { strings } from './strings.ts';

/** The ranks of passages under several pipelines. */
export interface MovementChart extends ChartBase {
  readonly kind: 'movement';
  readonly pipelines: readonly string[];
  /** Ranks 1 to `depth` are drawn; passages below are drawn on separate lines. */
  readonly depth: number;
  readonly k: number;
  readonly passages: readonly {
    readonly title: string;
    /** Letters of the supported perspectives, and the hue of the first. `undefined` if it supports none. */
    readonly sign: { readonly letters: string; readonly hue: number } | undefined;
    readonly ranks: readonly (number | null)[];
  }[];
}

const RANK_HEIGHT = 19;
const NARROWEST_STEP = 62;

export function drawMovement(chart: MovementChart, width: number): SVGSVGElement {
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
  // Each supporting passage that a pipeline does not have within the depth gets a separate line below it.
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
              frameAnchor: 'left',
              y: (value: number) => value,
              dx: -8,
              text: () => `> ${depth}`,
              textAnchor: 'end',
              fill: MUTED,
            }),
          ]
        : []),
      Plot.line(plain, { ...xy, stroke: MUTED, strokeOpacity: 0.35, strokeWidth: 1 }),
      Plot.dot(plain, { ...xy, r: 2.5, fill: MUTED, fillOpacity: 0.6, title: 'said' }),
      Plot.line(marked, { ...xy, stroke: hue, strokeWidth: 2.5 }),
      Plot.dot(marked, {
        x: 'column',
        y: 'at',
        r: 8.5,
        fill: GROUND,
        stroke: hue,
        strokeWidth: 2,
        title: 'said',
      }),
      Plot.text(marked, {
        x: 'column',
        y: 'at',
        text: ({ sign }: (typeof places)[number]) => cut(sign!.letters, 3),
        fill: 'currentColor',
        fontWeight: 600,
        pointerEvents: 'none',
      }),
      ...(titled
        ? [
            Plot.text(signed, {
              frameAnchor: 'right',
              dx: 16,
              textAnchor: 'start',
              fill: 'currentColor',
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
