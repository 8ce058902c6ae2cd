/** The text output of a validation report. */
import { oneLine } from '../../../core/reports/escape.ts';
import type { Rows } from '../../../core/reports/tables.ts';
import { validationView } from '../../../core/reports/validation.ts';
import type { ValidationReport } from '../core/report.ts';
import { tableText } from '../../../cli/presentation/terminal.ts';

/** Terminals show the end of the output; `--json` has all perspectives. */
const MAX_PERSPECTIVES = 10;
const LONGEST_CELL = 70;

/** @param source of the labels, as shown to the user */
export function describeValidation(report: ValidationReport, source: string): string {
  const { headline, sections } = validationView(report, source, MAX_PERSPECTIVES);
  const blocks = sections.flatMap(({ title, parts }) => [
    `${oneLine(title)}\n`,
    ...parts.map((part) => (typeof part === 'string' ? `${oneLine(part)}\n` : tableText(shortened(part)))),
  ]);
  return [`${oneLine(headline)}\n`, ...blocks].join('\n');
}

function shortened(table: Rows): Rows {
  const cut = (cell: string): string =>
    cell.length > LONGEST_CELL ? `${cell.slice(0, LONGEST_CELL - 1)}…` : cell;
  return { ...table, rows: table.rows.map((cells) => cells.map(cut)) };
}
