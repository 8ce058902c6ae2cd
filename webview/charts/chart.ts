/**
 * The common part of all charts before they are drawn: a description that replaces the picture, and its figures as a
 * table. Pure functions make charts from a data set. The further fields of each kind are declared in its `draw-*.ts`.
 */

export type Figure = string | number | undefined;

/** Rows of figures below a head; the first column names the row. */
export interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Figure[])[];
}

export interface ChartBase {
  /** Changes whenever the picture changes. */
  readonly key: string;
  /** The name of saved files. */
  readonly name: string;
  /** A sentence that replaces the picture. */
  readonly description: string;
  /** The text alternative: few enough figures to read. Shares are in [0, 1]. */
  readonly table: ChartTable;
  /** Every drawn number, one observation per row. */
  readonly data: ChartTable;
}

/** The look of a line or point, see {@link lookOf}. */
export interface Look {
  /** One of the eight hues of the palette. */
  readonly hue: number;
  /** Lengths of dashes and gaps; empty for a solid line. */
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

/** Hue, dash and symbol of the `index`-th pipeline: 40 pipelines differ in hue or dash, 56 in hue or symbol. */
export function lookOf(index: number): Look {
  return {
    hue: index % HUES,
    dash: DASHES[index % DASHES.length]!,
    symbol: SYMBOLS[index % SYMBOLS.length]!,
  };
}

export interface Axis {
  readonly label: string;
  /** Whether values are shares in [0, 1], shown as percentages. */
  readonly share: boolean;
}
