/** The numbers of a chart as a file for spreadsheets and statistics. Pure. */
import { escapeCsv } from '../../src/core/reports/escape.ts';
import type { ChartTable, Figure } from './chart.ts';

export function chartCsv({ columns, rows }: ChartTable): string {
  return [columns, ...rows].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(figure: Figure): string {
  if (figure === undefined) return '';
  return typeof figure === 'number' ? String(figure) : escapeCsv(figure);
}
