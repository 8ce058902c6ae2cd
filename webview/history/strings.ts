/** The texts of the history panel. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import type { EvaluationSummary, SummaryRow } from '../../src/shared/evaluation.ts';
import type { ComparedRuns, HistoryState } from '../../src/features/history/contract/panel.ts';
import { judgedPercent, unjudgedCounts, noiseText } from '../../src/core/facts.ts';
import { atLeastText, intervalText, shareText } from '../components/figures.ts';
import { counted } from '../../src/core/counted.ts';
import { LANGUAGE, listed } from '../components/language.ts';
import { moment, number, words } from '../components/words.ts';
import type { PipelineComparison } from './draft.ts';
import type { RunEvent } from './shown.ts';
import type { Figure } from '../../src/core/metrics/figures.ts';

const shortMoment = new Intl.DateTimeFormat(LANGUAGE, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Shapes that are distinguishable at the size of a letter. */
const SIGNS: Record<RunEvent, string> = {
  baseline: '★',
  corpus: '■',
  'eval set': '◆',
  pipeline: '▲',
  judge: '✚',
  judgements: '●',
};

type Change = Exclude<RunEvent, 'baseline'>;

interface ChangedRuns {
  readonly then: EvaluationSummary;
  readonly now: EvaluationSummary;
  /** The rows of the compared pipeline. */
  readonly before: SummaryRow | undefined;
  readonly after: SummaryRow | undefined;
}

function eventText(event: RunEvent): string {
  switch (event) {
    case 'baseline':
      return l10n.t('baseline');
    case 'corpus':
      return l10n.t('corpus');
    case 'eval set':
      return l10n.t('eval set');
    case 'pipeline':
      return l10n.t('pipeline');
    case 'judge':
      return l10n.t('judge');
    case 'judgements':
      return l10n.t('judgements');
  }
}

const passages = (n: number): string => counted(l10n.t('{0} [0:passage|passages]'), n);
const runCount = (n: number): string => counted(l10n.t('{0} [0:run|runs]'), n);
const queryCount = (n: number): string => counted(l10n.t('{0} [0:question|questions]'), n);

/** Details of a change, as far as they are known. */
function reasonText(change: Change, { then, now, before, after }: ChangedRuns): string {
  switch (change) {
    case 'corpus':
      return before?.passages === after?.passages
        ? l10n.t('other texts in as many passages')
        : strings.fromTo(passages(before?.passages ?? 0), passages(after?.passages ?? 0));
    case 'eval set':
      return l10n.t('the questions or their perspectives are others; only those that both have are compared');
    case 'pipeline':
      return l10n.t('it is configured otherwise:');
    case 'judge':
    case 'judgements':
      return then.judge === now.judge
        ? l10n.t`${strings.judgedPairs(before?.judged ?? 0, before?.pairs ?? 0)} then, ${strings.judgedPairs(after?.judged ?? 0, after?.pairs ?? 0)} now, or other verdicts`
        : l10n.t`judged by ${then.judge} then, by ${now.judge} now`;
  }
}

export const strings = {
  title: () => l10n.t('Evaluation History'),
  moment: (at: string) => moment.format(new Date(at)),
  shortMoment: (at: string) => shortMoment.format(new Date(at)),

  // Before there is a run
  noRunTitle: () => l10n.t('Nothing was evaluated yet'),
  noEvalSetTitle: () => l10n.t('There is no eval set yet'),
  noRunYet: () =>
    l10n.t(
      'Every evaluation of the eval sets is kept here: its figures, the corpus, the pipelines and the judgements they rest on. You see how retrieval changes over time, and why.',
    ),
  noEvalSet: () =>
    l10n.t(
      'Name eval sets in parallax.json, as in "evalSets": ["eval/*.parallax.jsonl"], and evaluate them.',
    ),
  firstRun: ({ evalSets, pipelines, k }: HistoryState['demands']) =>
    l10n.t`The first run evaluates ${listed(pipelines)} on ${listed(evalSets)} at k = ${k}. No paid model is asked.`,
  evaluate: () => l10n.t('Evaluate Workspace'),
  evaluateAgain: () => l10n.t('Evaluate Again'),

  choice: () => l10n.t('What is shown'),
  evalSet: () => l10n.t('Eval set'),
  pipeline: () => l10n.t('Pipeline'),
  allPipelines: () => l10n.t('All pipelines'),
  metric: () => l10n.t('Metric'),

  // Timeline
  timelineNote: (dataset: string, runs: number) =>
    l10n.t`${dataset} · ${runCount(runs)}, oldest to the left · 95% intervals of a bootstrap over questions. ${unjudgedCounts()}`,
  timelineDescription: (metric: string, dataset: string, runs: number) =>
    l10n.t`${metric} on ${dataset} over ${runCount(runs)}, with intervals and what changed between them.`,
  event: eventText,
  eventSign: (event: RunEvent) => SIGNS[event],
  happened: () => l10n.t('Changed'),
  value: ({ value }: Figure, mayRise: boolean) => (mayRise ? atLeastText(value) : shareText(value)),
  figure: ({ value, low, high }: Figure) => `${shareText(value)} ${intervalText({ low, high })}`,

  // Runs
  runs: () => l10n.t('Runs'),
  runsNote: () => l10n.t('newest first'),
  unlisted: (n: number) =>
    counted(
      l10n.t(
        '{0} [0:evaluation is|evaluations are] not shown: another version of Parallax kept [0:it|them], in a form of its own.',
      ),
      n,
    ),
  runsNow: (n: number) => l10n.t`${runCount(n)} in the history.`,
  runsCaption: (dataset: string) =>
    l10n.t`Runs on ${dataset}: figures with intervals, share of judged pairs, and what changed since the run before.`,
  when: () => l10n.t('Run'),
  judged: () => l10n.t('Judged'),
  judgedHint: () =>
    l10n.t('Pairs of a passage in the top k of any pipeline and a perspective, and how many have a verdict.'),
  judgedShare: judgedPercent,
  judgedPairs: (judged: number, pairs: number) => l10n.t`${number.format(judged)} of ${number.format(pairs)}`,
  judgedLow: () => l10n.t('Too little is judged: a difference may come from unjudged passages.'),
  judgedBy: (judge: string) => l10n.t`judge ${judge}`,
  since: (metric: string) => l10n.t`Since the run before (${metric})`,
  outcome: (outcome: EvaluationSummary['outcome']) =>
    outcome === 'missed' ? l10n.t('missed') : l10n.t('not evaluated'),
  change: (change: Change, judge?: string) =>
    change === 'judge' && judge !== undefined ? l10n.t`judge (was ${judge})` : eventText(change),
  firstOfAll: () => l10n.t('first run'),
  nothingChanged: () => l10n.t('nothing changed'),
  nothingKnown: () => l10n.t('nothing that is known of'),
  noise: () => l10n.t('may be noise'),
  showMore: (n: number) => l10n.t`Show ${n} More`,
  pick: (at: string) => l10n.t`Pick the run of ${moment.format(new Date(at))}`,
  pickHelp: () => l10n.t('Pick two runs to compare them, or one to accept it as the baseline.'),
  onePicked: (at: string) => l10n.t`Picked: ${moment.format(new Date(at))}. Pick another one to compare.`,
  bothPicked: (then: string, now: string) =>
    l10n.t`Picked: ${moment.format(new Date(then))} and ${moment.format(new Date(now))}.`,
  unpick: () => l10n.t('Deselect'),
  compare: () => l10n.t('Compare'),
  accept: () => l10n.t('Accept as Baseline'),
  lacks: (what: 'k' | 'rows', { k }: EvaluationSummary, demands: HistoryState['demands']) =>
    what === 'k'
      ? l10n.t`It cannot be the baseline: it used the top ${k}, and k is now ${demands.k}.`
      : l10n.t(
          'It cannot be the baseline: it does not have every eval set and pipeline that is evaluated now.',
        ),
  copyMarkdown: () => l10n.t('Copy as Markdown'),
  copied: () => l10n.t('Copied.'),
  openEvalSet: () => l10n.t('Open Eval Set'),

  // Two runs
  compared: () => l10n.t('Two runs compared'),
  comparedNow: ({ comparison }: ComparedRuns) => {
    const n = comparison.comparisons.reduce((sum, { changed }) => sum + changed.length, 0);
    return l10n.t`Compared: ${queryCount(n)} changed.`;
  },
  comparedNote: (then: EvaluationSummary, now: EvaluationSummary) =>
    l10n.t`${describeRun(then)} → ${describeRun(now)}`,
  closeComparison: () => l10n.t('Close the comparison'),
  nothingShared: () => l10n.t('The two have no question and measure in common.'),
  whichComparison: () => l10n.t('Pipeline and eval set'),
  pipelineOn: (pipeline: string, dataset: string) => l10n.t`${pipeline} on ${dataset}`,
  changedSince: () => l10n.t('Changed between the two:'),
  reason: reasonText,
  fromTo: (then: string | undefined, now: string | undefined) =>
    `${then ?? words.none()} → ${now ?? words.none()}`,
  then: () => l10n.t('Before'),
  now: () => l10n.t('After'),
  difference: () => l10n.t('Difference'),
  differencesCaption: (queries: number) =>
    l10n.t`Means over the ${queryCount(queries)} that both runs have, with 95% intervals of a paired bootstrap and p-values of a paired randomisation test, not corrected.`,
  wonLostTied: () => l10n.t('Won / lost / tied'),
  tally: (...all: readonly number[]) => all.map((n) => number.format(n)).join(' / '),
  verdict: () => l10n.t('Because of'),
  verdictOf: (
    difference: number,
    { changes, noise }: PipelineComparison['differences'][number]['attribution'],
  ) => {
    if (difference === 0) return l10n.t('no difference');
    const why = changes.length === 0 ? strings.nothingKnown() : listed(changes.map(eventText));
    return noise ? `${why}; ${noiseText()}` : why;
  },
  queriesChanged: (changed: number, all: number) =>
    changed === 0
      ? l10n.t`None of the ${queryCount(all)} changed`
      : l10n.t`${number.format(changed)} of ${queryCount(all)} changed`,
  changedCaption: () => l10n.t('Questions that changed: perspectives lost and gained, and their figures.'),
  query: () => l10n.t('Question'),
  lostAndGained: () => l10n.t('Perspectives ▼ lost ▲ gained'),
  lost: () => l10n.t('lost:'),
  gained: () => l10n.t('gained:'),
  same: () => '=',
  queryGone: () => l10n.t('no longer in its eval set'),
  inspect: (pipeline: string) => l10n.t`Show it under ${pipeline} in the side panel`,
};

function describeRun({ at, commit, judge }: EvaluationSummary): string {
  return [
    moment.format(new Date(at)),
    ...(commit === undefined ? [] : [commit.slice(0, 10)]),
    strings.judgedBy(judge),
  ].join(' · ');
}
