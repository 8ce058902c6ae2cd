/** A gate's report as GitHub-flavoured Markdown. */
import type { GateReport } from '../../features/gate/core/report.ts';
import { escapeMarkdown } from './escape.ts';
import {
  checksTable,
  circumstances,
  costText,
  failedQueryViews,
  figuresTable,
  groundsOf,
  headline,
  reasonsOf,
  UNJUDGED,
  type Rows,
  type Table,
} from './tables.ts';

export function toMarkdown(report: GateReport): string {
  const failed = failedQueryViews(report);
  return [
    '# Parallax gate',
    `**${escapeMarkdown(headline(report))}**`,
    escapeMarkdown(circumstances(report)),
    ...section('', [...groundsOf(report), ...report.notes, ...costText(report)]),
    ...section('## Why', reasonsOf(report)),
    ...(report.checks.length > 0 ? tableBlocks(checksTable(report)) : []),
    ...(report.datasets.length > 0 ? tableBlocks(figuresTable(report)) : []),
    ...(report.datasets.length > 0 ? [escapeMarkdown(UNJUDGED)] : []),
    ...(failed.length > 0 ? ['## Questions'] : []),
    ...failed.flatMap(({ title, text, place, details }) => [
      `### ${escapeMarkdown(title)}`,
      `${escapeMarkdown(text)} (${escapeMarkdown(place)})`,
      ...section('', details),
    ]),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}

/** A list of sentences below a heading. Empty without sentences. */
function section(heading: string, sentences: readonly string[]): string[] {
  if (sentences.length === 0) return [];
  const list = sentences.map((sentence) => `- ${escapeMarkdown(sentence)}`).join('\n');
  return heading === '' ? [list] : [heading, list];
}

const tableBlocks = (table: Table): string[] => [`## ${table.title}`, markdownTable(table)];

/** @param rows any text as cells and headers; it is escaped */
export function markdownTable({ header, rows, names }: Rows): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head, ...body] = [header, ...rows].map((cells) => line(cells.map(escapeMarkdown)));
  const rule = line(header.map((_, column) => (column < names ? ':--' : '--:')));
  return [head, rule, ...body].join('\n');
}
