/** The chart of `bench/scale.ts`, for both themes: cost against size, both axes logarithmic. */
import type { ScaleFigures } from './scale-figures.ts';

const WIDTH = 760;
const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 190;
const TOP = 46;
const BOTTOM = 48;

interface Series {
  readonly label: string;
  readonly colour: string;
  /** Milliseconds. */
  readonly of: (figures: ScaleFigures) => number;
}

/** Colours that the colour-blind can distinguish (Okabe and Ito), at a lightness that suits both themes. */
const SERIES: readonly Series[] = [
  { label: 'index', colour: '#0072b2', of: ({ store, vectors }) => store.wallMs + vectors.wallMs },
  { label: 'reopen', colour: '#cc79a7', of: ({ reopenHybrid }) => reopenHybrid.wallMs },
  { label: 'add 100 passages', colour: '#e69f00', of: ({ update }) => update.wallMs },
  { label: 'exact dense query', colour: '#009e73', of: ({ exactMs }) => exactMs.p50 },
  { label: 'int8 dense query', colour: '#56b4e9', of: ({ int8Ms }) => int8Ms.p50 },
  { label: 'BM25 query', colour: '#d55e00', of: ({ bm25Ms }) => bm25Ms.p50 },
];

/** Least distance between two labels at the right edge. */
const LABEL_HEIGHT = 17;

/** @param measured ascending sizes, at least one */
export function scaleChart(measured: readonly ScaleFigures[]): string {
  const sizes = measured.map(({ passages }) => passages);
  const values = SERIES.flatMap(({ of }) => measured.map(of));
  const x = logScale([sizes[0]!, sizes.at(-1)!], [LEFT, WIDTH - RIGHT]);
  const bounds = [powerBelow(Math.min(...values)), 10 * powerBelow(Math.max(...values))] as const;
  const y = logScale(bounds, [HEIGHT - BOTTOM, TOP]);
  const places = spread(SERIES.map(({ of }) => y(of(measured.at(-1)!))));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title" font-family="system-ui, sans-serif" font-size="13">`,
    '<title id="title">Time of each operation against the number of passages, both axes logarithmic</title>',
    '<style>text{fill:#3b3b3b}.grid{stroke:#8884}@media (prefers-color-scheme:dark){text{fill:#ddd}}</style>',
    `<text x="${LEFT}" y="22" font-weight="600">Cost as the corpus grows (passages of about 100 words, 384 dimensions)</text>`,
    ...powers(...bounds).map((value) => horizontal(value, y(value))),
    ...sizes.map(
      (size) =>
        `<text x="${fixed(x(size))}" y="${HEIGHT - 20}" text-anchor="middle">${sizeLabel(size)}</text>`,
    ),
    ...SERIES.map((series, number) => line(series, measured, x, y, places[number]!)),
    '</svg>',
    '',
  ].join('\n');
}

function line(
  { label, colour, of }: Series,
  measured: readonly ScaleFigures[],
  x: (size: number) => number,
  y: (value: number) => number,
  labelAt: number,
): string {
  const points = measured.map((figures) => [fixed(x(figures.passages)), fixed(y(of(figures)))] as const);
  const path = points.map((point) => point.join(',')).join(' ');
  const dots = points.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`).join('');
  const last = duration(of(measured.at(-1)!));
  return (
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}` +
    `<text x="${WIDTH - RIGHT + 12}" y="${fixed(labelAt + 4)}"><tspan fill="${colour}">●</tspan> ${label}, ${last}</text>`
  );
}

function horizontal(value: number, y: number): string {
  return (
    `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${fixed(y)}" y2="${fixed(y)}"/>` +
    `<text x="${LEFT - 8}" y="${fixed(y + 4)}" text-anchor="end">${duration(value)}</text>`
  );
}

/** Moves labels apart so that none overlap, as near to their lines as possible. */
function spread(wanted: readonly number[]): number[] {
  const order = [...wanted.keys()].sort((a, b) => wanted[a]! - wanted[b]!);
  const places = [...wanted];
  let free = -Infinity;
  for (const number of order) {
    places[number] = Math.max(wanted[number]!, free);
    free = places[number] + LABEL_HEIGHT;
  }
  return places;
}

function logScale(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
  const [low, high] = [Math.log10(from[0]), Math.log10(from[1])];
  const span = high - low || 1;
  return (value) => to[0] + ((Math.log10(value) - low) / span) * (to[1] - to[0]);
}

const powerBelow = (value: number): number => 10 ** Math.floor(Math.log10(value));

function powers(low: number, high: number): number[] {
  return Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, power) => low * 10 ** power);
}

const fixed = (value: number): string => value.toFixed(1);
const short = (value: number): string => String(Number(value.toPrecision(2)));
const duration = (ms: number): string => (ms >= 1000 ? `${short(ms / 1000)} s` : `${short(ms)} ms`);
const sizeLabel = (size: number): string =>
  size >= 1e6 ? `${size / 1e6}M` : size >= 1e3 ? `${size / 1e3}k` : String(size);
