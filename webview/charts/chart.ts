/**
 * The parts that all charts have before they are drawn: the words that stand for the picture, and the same figures as a
 * table. Charts are made from a data set by pure functions. How each kind of chart describes itself beyond that stands
 * with what draws it, in `draw-*.ts`.
 */

export type Figure = string | number | undefined;

/** Rows of figures under a head; the first column names the row. */
export interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Figure[])[];
}

export interface ChartBase {
  /** Another one when anything that is drawn is another. */
  readonly key: string;
  /** Names the files that it is saved to. */
  readonly name: string;
  /** A sentence in place of the picture. */
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
