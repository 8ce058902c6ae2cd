/**
 * What a chart shows, before it is drawn: the numbers, the words that stand for the picture, and the same figures
 * as a table. Made from a data set by pure functions; `draw.ts` makes pictures of it.
 */

export type Figure = string | number | undefined;

/** Rows of figures under a head; the first column names the row. */
export interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Figure[])[];
}

interface ChartBase {
  /** Another one when anything that is drawn is another. */
  readonly key: string;
  /** Names the files that it is saved to. */
  readonly name: string;
  /** Said instead of the picture. */
  readonly description: string;
  /** The text alternative: few enough figures to read. Shares are in [0, 1]. */
  readonly table: ChartTable;
  /** Every number that is drawn, one observation a row. */
  readonly data: ChartTable;
}

/** How one line or point is told from the others: see {@link lookOf}. */
export interface Look {
  /** One of the eight hues of the palette. */
  readonly hue: number;
  /** Lengths of dashes and gaps; empty is solid. */
  readonly dash: string;
  readonly symbol: 'circle' | 'square2' | 'triangle' | 'diamond2' | 'cross' | 'star' | 'wye';
}

const SYMBOLS: readonly Look['symbol'][] = [
  'circle',
  'square2',
  'triangle',
  'diamond2',
  'cross',
  'star',
  'wye',
];
const DASHES = ['', '6 3', '2 3', '9 3 2 3', '12 4'];
const HUES = 8;

/** Hue, dash and symbol of the `index`-th pipeline: forty pipelines differ in hue or dash, fifty-six in hue or symbol. */
export function lookOf(index: number): Look {
  return {
    hue: index % HUES,
    dash: DASHES[index % DASHES.length]!,
    symbol: SYMBOLS[index % SYMBOLS.length]!,
  };
}

export interface Axis {
  readonly label: string;
  /** Shares in [0, 1], shown as percentages. */
  readonly share: boolean;
}

/** Lines over a whole-numbered axis from 1. */
export interface CurvesChart extends ChartBase {
  readonly kind: 'curves';
  readonly x: string;
  readonly y: Axis;
  /** Where the user looks: the k of the comparison. */
  readonly k: number;
  readonly series: readonly {
    readonly name: string;
    readonly look: Look;
    readonly values: readonly number[];
  }[];
}

/** Lines over a count, each point marked. */
export interface LinesChart extends ChartBase {
  readonly kind: 'lines';
  readonly x: string;
  /** The count at which the series begin. */
  readonly first: number;
  readonly y: Axis;
  readonly series: readonly {
    readonly name: string;
    readonly look: Look;
    /** Undefined where there is no figure. */
    readonly values: readonly (number | undefined)[];
  }[];
}

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
  /** Single queries, moved apart a little where many have the same figures. */
  readonly queries: readonly { readonly look: Look; readonly x: number; readonly y: number }[];
}

/** Rows of marks on a common axis, told apart by their shape. */
export interface DotsChart extends ChartBase {
  readonly kind: 'dots';
  readonly x: Axis;
  /** Drawn as a line across all rows, where there is a neutral value. */
  readonly zero: number | undefined;
  readonly forms: readonly { readonly name: string; readonly look: Look }[];
  /** Per row one value per form. */
  readonly rows: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[];
}

/** Shades of cells; with figures in them where they are few. */
export interface HeatChart extends ChartBase {
  readonly kind: 'heat';
  readonly rowsAre: string;
  readonly columnsAre: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** [rows, columns], in [0, 1]; undefined is drawn as unknown. */
  readonly shares: readonly (readonly (number | undefined)[])[];
  /** Whether a cell is something to click on. */
  readonly pickable: boolean;
}

/** How passages move from pipeline to pipeline. */
export interface MovementChart extends ChartBase {
  readonly kind: 'movement';
  readonly pipelines: readonly string[];
  /** Ranks 1 to `depth` are drawn; what is below is drawn on a line of its own. */
  readonly depth: number;
  readonly k: number;
  readonly passages: readonly {
    readonly title: string;
    /** Letters of the perspectives that it supports, and the hue of the first; absent where it supports none. */
    readonly sign: { readonly letters: string; readonly hue: number } | undefined;
    readonly ranks: readonly (number | null)[];
  }[];
}

/** Shares over runs, side by side in their order, whatever time passed between them. */
export interface TimelineChart extends ChartBase {
  readonly kind: 'timeline';
  readonly y: Axis;
  /** One per run, the oldest first: when it was. */
  readonly moments: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly look: Look;
    /** Undefined where the run does not have it. */
    readonly points: readonly ({ value: number; low: number; high: number } | undefined)[];
  }[];
  /** A row of marks below the runs for each kind of thing that happened. */
  readonly events: readonly {
    readonly name: string;
    readonly sign: string;
    /** Places of runs, from 0. */
    readonly at: readonly number[];
    /** A line through the chart where it happened. */
    readonly line: boolean;
  }[];
}

export type Chart =
  CurvesChart | LinesChart | ScatterChart | DotsChart | HeatChart | MovementChart | TimelineChart;
