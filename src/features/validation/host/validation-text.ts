/** The report of `Parallax: Validate Judge…` as Markdown. Pure. */
import { escapeMarkdown } from '../../../core/reports/escape.ts';
import { markdownTable } from '../../../core/reports/markdown.ts';
import { unansweredSentences, validationView } from '../../../core/reports/validation.ts';
import type { ValidationReport } from '../core/report.ts';

/** More than a reader needs; the JSON has all perspectives. */
const MAX_PERSPECTIVES = 40;

/** @param source of the labels, as shown to the user */
export function validationText(report: ValidationReport, source: string): string {
  const { title, headline, sections } = validationView(report, source, MAX_PERSPECTIVES);
  const warnings = [...report.warnings, ...unansweredSentences(report)];
  return [
    `# ${title}`,
    escapeMarkdown(headline),
    ...warnings.map((warning) => `> ⚠ ${escapeMarkdown(warning)}`),
    ...sections.flatMap(({ title: heading, parts }) => [
      `## ${escapeMarkdown(heading)}`,
      ...parts.map((part) => (typeof part === 'string' ? escapeMarkdown(part) : markdownTable(part))),
    ]),
    '',
  ].join('\n\n');
}
