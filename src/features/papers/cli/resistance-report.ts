/** The results of attacks on judges, as plain text and as Markdown. */
import { escapeMarkdown, oneLine } from '../../../core/reports/escape.ts';
import { markdownTable } from '../../../core/reports/markdown.ts';
import type { Rows } from '../../../core/reports/tables.ts';
import type { Result } from '../../../shared/rpc.ts';
import { percent, tableText } from '../../../cli/presentation/terminal.ts';

export interface ResistanceReport extends Result<'judgeResistance'> {
  readonly judge: string;
}

type Family = ResistanceReport['families'][number];

const HEADER = ['family', 'fooled %', 'fooled', 'right', 'undecided', 'unanswered', 'not tested', 'cases'];

/** For each judge, a table of families and the attacks that changed its answer. */
export function resistanceText(reports: readonly ResistanceReport[]): string {
  const blocks = reports.map((report) =>
    [
      `${oneLine(report.judge)}\n`,
      tableText(rowsOf(report)),
      ...sentencesOf(report).map((line) => `${oneLine(line)}\n`),
    ].join(''),
  );
  return blocks.join('\n');
}

/** The same with the sources of every family. */
export function resistanceMarkdown(reports: readonly ResistanceReport[]): string {
  const blocks = reports.flatMap((report) => [
    `## ${escapeMarkdown(report.judge)}`,
    markdownTable(rowsOf(report)),
    ...listOf(sentencesOf(report)),
  ]);
  const [first] = reports;
  const sources = first ? ['## Sources', ...listOf(first.families.map(sourcesOf))] : [];
  return ['# How judges stand against attacks', ...blocks, ...sources]
    .map((block) => `${block}\n`)
    .join('\n');
}

function rowsOf(report: ResistanceReport): Rows {
  const all = { ...report, title: 'all', fooled: report.fooled.length };
  return { header: HEADER, rows: [...report.families, all].map(rowOf), names: 1 };
}

function rowOf(counts: Omit<Family, 'sources' | 'family'>): string[] {
  const { title, rate, fooled, passed, undecided, unanswered, untested, cases } = counts;
  const numbers = [fooled, passed, undecided, unanswered, untested, cases].map(String);
  return [title, rate === null ? '–' : percent(rate), ...numbers];
}

function sentencesOf({ fooled, untested, error }: ResistanceReport): string[] {
  return [
    ...(untested > 0
      ? ['Not tested: without any attack the judge does not give the right answer to this passage either.']
      : []),
    ...fooled.map(({ name, verdict }) => `Answered "${verdict}": ${name}`),
    ...(error === undefined ? [] : [`Not answered: ${error}`]),
  ];
}

function sourcesOf({ title, sources }: Family): string {
  return `${title}: ${sources.join('; ')}`;
}

function listOf(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')];
}
