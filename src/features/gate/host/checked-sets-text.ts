/** The report on a check of eval sets. Pure. */
import * as l10n from '@vscode/l10n';
import type { EvalSetReport } from '../../eval-set-check/core/report.ts';
import {
  findingsOf,
  setHeading,
  showableLine,
  showableReason,
  showableRows,
  type Finding,
} from '../../eval-set-check/core/wording.ts';
import { escapeMarkdown } from '../../../core/reports/escape.ts';
import { markdownTable } from '../../../core/reports/markdown.ts';

/** The most list entries that are named; the rest is counted. */
const LISTED = 50;

export interface CheckedSet {
  readonly evalSet: string;
  readonly report: EvalSetReport;
}

export function checkedSetsText(checked: readonly CheckedSet[]): string {
  return checked
    .flatMap(({ evalSet, report }) => setBlocks(evalSet, report))
    .map((block) => `${block}\n`)
    .join('\n');
}

function setBlocks(evalSet: string, report: EvalSetReport): string[] {
  const { showable, questions, failed } = report;
  const [first] = showable;
  const findings = findingsOf(report);
  const faults = findings.filter(({ isFault }) => isFault);
  return [
    `# ${escapeMarkdown(setHeading(evalSet, report))}`,
    ...(first ? [`**${escapeMarkdown(showableLine(questions, first))}**`] : []),
    ...(showable.length > 0
      ? [markdownTable({ ...showableRows(report), names: 1 }), showableReason(report)]
      : []),
    ...failed.map(({ name, error }) => escapeMarkdown(l10n.t`${name} could not be run: ${error}`)),
    `## ${l10n.t('To fix')}`,
    ...(faults.length > 0 ? faults.flatMap(findingBlocks) : [l10n.t('Nothing was found.')]),
    ...findings.filter(({ isFault }) => !isFault).flatMap(findingBlocks),
  ];
}

function findingBlocks({ text, list }: Finding): string[] {
  const rest = list.length - LISTED;
  const lines = list.slice(0, LISTED).map((each) => `- ${escapeMarkdown(each)}`);
  const more = rest > 0 ? [`- ${l10n.t`… and ${rest} more.`}`] : [];
  return [escapeMarkdown(text), ...(lines.length > 0 ? [[...lines, ...more].join('\n')] : [])];
}
