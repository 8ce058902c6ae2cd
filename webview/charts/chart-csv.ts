/** Converts the data of a chart to CSV. Pure. */
import { escapeCsv } from '../../src/core/reports/escape.ts';
import type { ChartTable, Figure } from './chart.ts';

export function chartCsv({ columns, rows }: ChartTable): string {
  return [columns, ...rows].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(figure: Figure): string {
  if (figure === undefined) return '';
  return typeof figure === 'number' ? String(figure) : escapeCsv(figure);
}
