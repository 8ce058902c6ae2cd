/**
 * Texts that several parts of the compare panel share. Functions, because the language is set after the modules are
 * loaded.
 */
import { isNoResult, unreadableText, type Unreadable } from '../../src/core/judging/unreadable.ts';
import * as l10n from '@vscode/l10n';
import type { Evaluation } from '../../src/evaluation/evaluation.ts';
import type { JudgingView } from '../../src/features/compare/contract/panel.ts';
import { shareText } from '../components/figures.ts';
import { counted } from '../../src/core/counted.ts';
import { listed } from '../components/language.ts';
import { number } from '../components/words.ts';

/** Joins independent facts. */
export const facts = (all: readonly string[]): string => all.join(' · ');

/** Joins independent clauses of one statement. */
export const clauses = (all: readonly string[]): string => all.join('; ');

/** The result of judging. */
function judgingReport(report: NonNullable<JudgingView['report']>): string {
  const { failed, saved, settled, queries, stopped, error } = report;
  // A warning that invalidates the whole run is shown above the table.
  const unread = noResult(report) === undefined ? unreadableText(unreadableOf(report)) : undefined;
  return [
    answeredPairs(report),
    ...(failed > 0
      ? [l10n.t`${number.format(failed)} failed: ${error ?? l10n.t('the judge gave no answer.')}`]
      : []),
    ...(unread === undefined ? [] : [unread]),
    ...(saved > 0 ? [savedPairs(saved)] : []),
    ...(stopped ? [l10n.t('The budget in your settings ran out; judging again continues from here.')] : []),
    ...(settled < queries ? [settledQueries(settled, queries)] : []),
  ].join(' ');
}

type Report = NonNullable<JudgingView['report']>;

const unreadableOf = ({ answered, unreadable, unreadableReason: reason }: Report): Unreadable => ({
  unreadable,
  answers: answered + unreadable,
  reason,
});

/** Why a run of judging gave no result. `undefined` if it gave one. */
function noResult(report: Report): string | undefined {
  const run = unreadableOf(report);
  return isNoResult(run) ? unreadableText(run) : undefined;
}

function answeredPairs({ asked, answered }: NonNullable<JudgingView['report']>): string {
  return asked === answered
    ? counted(l10n.t('{0} [0:pair was|pairs were] put to the judge.'), answered)
    : counted(l10n.t('{0} [0:pair|pairs] judged of {1} asked.'), answered, asked);
}

function savedPairs(saved: number): string {
  return counted(
    l10n.t('{0} [0:pair|pairs] did not have to be asked: no figure depends on [0:it|them].'),
    saved,
  );
}

function settledQueries(settled: number, queries: number): string {
  return counted(
    l10n.t('MRecall and Precision are settled for {0} of {1} [1:question|questions].'),
    settled,
    queries,
  );
}

/** Announced when a comparison has arrived. */
function compared({ pipelines, datasets }: Evaluation): string {
  const failed = pipelines.filter((_, index) =>
    datasets.some((dataset) => dataset.pipelines[index]?.error !== undefined),
  ).length;
  const queries = datasets.reduce((sum, one) => sum + one.queries.length, 0);
  const ran = pipelines.length - failed;
  const done = counted(
    l10n.t('Compared {0} [0:pipeline|pipelines] on {1} [1:question|questions].'),
    ran,
    queries,
  );
  if (failed === 0) return done;
  return `${done} ${counted(l10n.t('{0} [0:pipeline|pipelines] could not be run.'), failed)}`;
}

export const compareWords = {
  title: () => l10n.t('Compare pipelines'),
  baselineBadge: () => l10n.t('baseline'),
  runAgain: () => l10n.t('Run Again'),
  runChosen: () => l10n.t('Run the Chosen'),
  otherPipelines: (shown: readonly string[]) =>
    l10n.t`Shown: ${listed(shown)}. These are not the pipelines that are chosen above.`,
  stale: () =>
    l10n.t('May be out of date: the corpus, the judgements or the choices changed since this comparison.'),
  fromBefore: () => l10n.t('The results below are from before this run.'),
  pipeline: () => l10n.t('Pipeline'),
  judged: () => l10n.t('Judged'),
  setSize: () => l10n.t('Set size'),
  value: shareText,
  judgingReport,
  noResult,
  count: (n: number) => number.format(n),
  query: () => l10n.t('Question'),
  compared,
};
