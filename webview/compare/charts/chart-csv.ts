/** The numbers of a chart as a file for spreadsheets and statistics. Pure. */
import type { ChartTable, Figure } from './chart.ts';

export function chartCsv({ columns, rows }: ChartTable): string {
  return [columns, ...rows].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** Text is quoted, and kept from being run as a formula by a spreadsheet. */
function cellOf(figure: Figure): string {
  if (figure === undefined) return '';
  if (typeof figure === 'number') return String(figure);
  const safe = /^[=+\-@\t\r]/u.test(figure) ? `'${figure}` : figure;
  return `"${safe.replaceAll('"', '""')}"`;
}
