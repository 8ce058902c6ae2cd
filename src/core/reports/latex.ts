/** A gate's report as LaTeX tables (package booktabs). */
import { gapsOf, type GateReport } from '../../features/gate/core/report.ts';
import { escapeLatex } from './escape.ts';
import {
  checksTable,
  circumstances,
  figuresTable,
  groundsOf,
  headline,
  UNJUDGED,
  type Table,
} from './tables.ts';

export function toLatex(report: GateReport): string {
  const grounds = [...gapsOf(report), ...groundsOf(report), UNJUDGED, circumstances(report)];
  const tables =
    report.error === undefined
      ? [
          latexTable(figuresTable(report), grounds),
          ...(report.checks.length > 0 ? [latexTable(checksTable(report), [headline(report)])] : []),
        ]
      : [`\\noindent ${escapeLatex(headline(report))}`];
  return ['% Needs \\usepackage{booktabs}.', ...tables, ''].join('\n');
}

function latexTable({ title, header, rows, names }: Table, caption: readonly string[]): string {
  const line = (cells: readonly string[]): string => `${cells.map(escapeLatex).join(' & ')} \\\\`;
  const columns = 'l'.repeat(names) + 'r'.repeat(header.length - names);
  return [
    '\\begin{table}',
    '\\centering',
    `\\begin{tabular}{${columns}}`,
    '\\toprule',
    line(header),
    '\\midrule',
    ...rows.map(line),
    '\\bottomrule',
    '\\end{tabular}',
    `\\caption{${escapeLatex([`${title}.`, ...caption].join(' '))}}`,
    '\\end{table}',
  ].join('\n');
}
