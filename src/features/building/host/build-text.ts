/** The result of building, in sentences. */
import * as l10n from '@vscode/l10n';
import type { BuildEffort, BuildReportView } from '../contract/building.ts';
import type { Result } from '../../../shared/rpc.ts';
import { counted, counts } from '../../../core/counted.ts';

/** The plan that the user confirms. */
export interface BuildPlan {
  /** As shown to the user. */
  readonly generator: string;
  readonly judge: string | undefined;
  /** The corpus whose passages the model sees with each question. */
  readonly shown: string | undefined;
  readonly effort: BuildEffort;
  /** The largest number of requests. */
  readonly budget: number;
}

/** The confirmation before anything costs money: a question and its details. */
export function planText({ generator, judge, shown, effort, budget }: BuildPlan): {
  question: string;
  detail: string;
} {
  const { wanted, requests, judgePairs, questions, badLines, problems } = effort;
  const range = counts.requestsIn(requests);
  const lines = [
    ...(questions
      ? [
          l10n.t`${counts.questions(questions.read)} read, ${questions.distinct} of them different, ${questions.known} proposed before.`,
        ]
      : []),
    ...(shown === undefined
      ? []
      : [l10n.t`With each question, the passages that are found for it in ${shown} are sent.`]),
    ...(badLines > 0 ? [badLinesText(badLines, problems[0] ?? '')] : []),
    judgePairs > 0
      ? l10n.t`${range} and up to ${counts.pairs(judgePairs)} to judge by ${judge ?? ''} if all of it is usable; each unusable reply costs a replacement.`
      : l10n.t`${range} if all of it is usable; each unusable reply costs a replacement.`,
    counted(
      l10n.t('At most {0} [0:request is|requests are] sent. Replies are kept and never asked for again.'),
      budget,
    ),
  ];
  const question = counted(l10n.t('Have {1} propose {0} [0:draft|drafts]?'), wanted, generator);
  return { question, detail: lines.join('\n') };
}

function badLinesText(lines: number, example: string): string {
  return counted(l10n.t('{0} [0:line|lines] without a question. {1}'), lines, example);
}

function endText(end: BuildReportView['end']): string {
  switch (end) {
    case 'enough':
      return '';
    case 'exhausted':
      return l10n.t('Nothing is left to make drafts from.');
    case 'budget':
      return l10n.t('The budget is spent; build again to continue.');
    case 'cancelled':
      return l10n.t('Cancelled; build again to continue.');
    case 'failed':
      return l10n.t('Stopped, because the model cannot be asked.');
  }
}

/** @param report `undefined` if nothing had to be done */
export function builtText(report: BuildReportView | undefined, { questions, wanted }: BuildEffort): string {
  if (!report)
    return questions && questions.known === questions.distinct && wanted === 0
      ? l10n.t('All of these questions were proposed before.')
      : l10n.t('As many drafts as you want wait for review already.');
  const { end, proposed, filtered, waiting, requests, failed, problems, leftOut } = report;
  const useless = Object.values(leftOut).reduce((sum, times) => sum + times, 0);
  return [
    l10n.t`${counts.drafts(proposed)} added, ${waiting} wait for review (${counts.requests(requests)}).`,
    ...(filtered > 0
      ? [counted(l10n.t('{0} [0:question|questions] about personal experience kept as filtered.'), filtered)]
      : []),
    ...(useless > 0 ? [l10n.t`${useless} others gave no usable draft.`] : []),
    ...(failed > 0 ? [l10n.t`${failed} failed: ${problems[0] ?? ''}`] : []),
    endText(end),
  ]
    .filter(Boolean)
    .join(' ');
}

export function acceptedText({ added, already, waiting, queued, warnings }: Result<'acceptDrafts'>): string {
  return [
    l10n.t`${counts.drafts(added)} added to the eval set (${already} were there), ${waiting} wait for review.`,
    ...(queued > 0
      ? [
          counted(
            l10n.t('{0} [0:pair|pairs] of passage and perspective to review before they count.'),
            queued,
          ),
        ]
      : []),
    ...(warnings[0] === undefined ? [] : [leftOutText(warnings.length, warnings[0])]),
  ].join(' ');
}

function leftOutText(lines: number, example: string): string {
  return counted(l10n.t('{0} [0:line|lines] left out: {1}'), lines, example);
}

export function labelSetText({ added, duplicates, leftOut }: Result<'labelSet'>, queries: number): string {
  return [
    l10n.t`${counts.pairs(added)} of ${counts.questions(queries)} to review.`,
    ...(duplicates > 0
      ? [counted(l10n.t('{0} [0:near-duplicate|near-duplicates] left out.'), duplicates)]
      : []),
    ...(leftOut > 0 ? [l10n.t`${leftOut} found no room in the queue.`] : []),
  ].join(' ');
}
