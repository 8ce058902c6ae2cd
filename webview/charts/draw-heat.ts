/** Draws a table of shares as shaded cells. */
import * as Plot from '@observablehq/plot';
import type { ChartBase } from './chart.ts';
import { cut, LETTER, MUTED, plot, share, widthOf, type Picture } from './plotting.ts';
import { strings } from './strings.ts';

/** Shaded cells, with figures if there are few. */
export interface HeatChart extends ChartBase {
  readonly kind: 'heat';
  readonly rowsAre: string;
  readonly columnsAre: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** `[rows, columns]`, in [0, 1]; `undefined` is drawn as unknown. */
  readonly shares: readonly (readonly (number | undefined)[])[];
  /** Whether cells can be clicked. */
  readonly pickable: boolean;
}

/** Density of the fullest cell below a figure; more would reduce the figure's contrast. */
const DENSEST_UNDER_TEXT = 0.36;
const NARROWEST_CELL = 3.5;

export function drawHeat(chart: HeatChart, width: number): Picture {
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
