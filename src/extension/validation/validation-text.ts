/** The report of `Parallax: Validate Judge…` as Markdown. Pure. */
import { escapeMarkdown } from '../../core/reports/escape.ts';
import { markdownTable } from '../../core/reports/markdown.ts';
import { unansweredSentences, validationView } from '../../core/reports/validation.ts';
import type { ValidationReport } from '../../core/validation/report.ts';

/** More perspectives than anybody reads; the JSON has all of them. */
const MOST_PERSPECTIVES = 40;

/** @param source of the labels, for people */
export function validationText(report: ValidationReport, source: string): string {
  const { title, headline, sections } = validationView(report, source, MOST_PERSPECTIVES);
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
