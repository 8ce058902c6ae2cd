/** The text output of a gate's report. */
import type { GateReport } from '../core/report.ts';
import { oneLine } from '../../../core/reports/escape.ts';
import {
  checksTable,
  circumstances,
  failedQueryViews,
  figuresTable,
  groundsOf,
  headline,
  reasonsOf,
  UNJUDGED,
} from '../../../core/reports/tables.ts';
import { tableText } from '../../../cli/presentation/terminal.ts';

export function gateTable(report: GateReport): string {
  const failed = failedQueryViews(report).flatMap(({ title, text, place, details }) => [
    `  ${title} (${place})`,
    `    ${text}`,
    ...details.map((detail) => `    ${detail}`),
  ]);
  const blocks = [
    figuresText(report),
    report.checks.length > 0 ? tableText(checksTable(report)) : '',
    lines(reasonsOf(report)),
    failed.length > 0 ? lines(['Questions that a check was missed for:', ...failed]) : '',
    lines([headline(report), circumstances(report)]),
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** Only the figures, without checks. */
export function figuresText(report: GateReport): string {
  if (report.datasets.length === 0) return '';
  const grounds = [...groundsOf(report), ...report.notes.map((note) => `Note: ${note}`)];
  return `${lines(grounds)}\n${tableText(figuresTable(report))}${UNJUDGED}\n`;
}

function lines(sentences: readonly string[]): string {
  return sentences.map((sentence) => `${indentOf(sentence)}${oneLine(sentence.trim())}\n`).join('');
}

const indentOf = (sentence: string): string => /^ */u.exec(sentence)![0];
