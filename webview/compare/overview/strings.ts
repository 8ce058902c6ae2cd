/** The texts of the figures: the overview, lost coverage, leaning and groups. */
import * as l10n from '@vscode/l10n';
import { shortfallsText } from '../../../src/core/external/shortfall.ts';
import type { Figure } from '../../../src/core/metrics/figures.ts';
import type {
  MeasureEvaluation,
  Evaluation,
  DatasetEvaluation,
  PipelineEvaluation,
} from '../../../src/evaluation/evaluation.ts';
import type { RepeatsReport } from '../../../src/core/metrics/repeats.ts';
import type { Measured } from '../../../src/core/measured.ts';
import {
  capitalized,
  judgedPercent,
  judgedText,
  measuredText,
  nothingJudged,
  placeMeaning,
  placeName,
  unjudgedCounts,
  noiseText,
} from '../../../src/core/facts.ts';
import { PLACES, type Place } from '../../../src/core/coverage-states.ts';
import { SIGNIFICANT } from '../../../src/shared/p-value.ts';
import { atLeastText, intervalText, pText, shareText, signedPoints } from '../../components/figures.ts';
import { counted } from '../../../src/core/counted.ts';
import { LANGUAGE, listed } from '../../components/language.ts';
import { moment, number } from '../../components/words.ts';
import type { Wanted } from '../queries/lead.ts';
import { clauses, facts } from '../strings.ts';
import type { Direction } from './table-order.ts';

const oneDecimal = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

const whole = new Intl.NumberFormat(LANGUAGE, { style: 'percent', maximumFractionDigits: 0 });

/** Keeps a last word of one letter, such as k, on the line of the word before. */
const unbroken = (text: string): string => text.replace(/ (?=\S$)/u, '\u00a0');

type Difference = NonNullable<MeasureEvaluation['difference']>;

/** As many names as fit in a sentence. */
function someOf(names: readonly string[]): string {
  return names.length <= 5
    ? listed(names)
    : l10n.t`${listed(names.slice(0, 4))} and ${names.length - 4} more`;
}

function queriesOf(queries: number, evalSet: string): string {
  return counted(l10n.t('{0} [0:question|questions] of {1}'), queries, evalSet);
}

/** The queries of several data sets together. */
function queriesOfSets(queries: number, sets: number): string {
  return counted(l10n.t('{0} [0:question|questions] of {1} data [1:set|sets]'), queries, sets);
}

/** A difference with its details. */
function differenceWords({ value, low, high, p, wins, losses, ties }: Difference): string {
  const includesZero = low <= 0 && high >= 0;
  return clauses([
    l10n.t`${signedPoints(value)}, 95% interval ${intervalText({ low, high })}`,
    ...(includesZero ? [noiseText()] : []),
    p === undefined
      ? l10n.t('not tested, because a judge made and scored one of the two rankings')
      : significance(p),
    tally(wins, losses, ties),
  ]);
}

function significance(p: number): string {
  return p < SIGNIFICANT
    ? l10n.t`${pText(p)}, corrected: significant at .05`
    : l10n.t`${pText(p)}, corrected: not significant at .05`;
}

function tally(wins: number, losses: number, ties: number): string {
  return counted(l10n.t('{0} [0:question|questions] won, {1} lost, {2} tied'), wins, losses, ties);
}

/** A measure of a pipeline, and what a click on it shows. */
function measureHint({ value, most, difference }: MeasureEvaluation, baseline: boolean): string {
  const open =
    most === undefined
      ? ''
      : `${l10n.t`Between ${shareText(value)} and ${shareText(most)}, depending on what is unjudged`}. `;
  if (difference) return open + l10n.t`${differenceWords(difference)}. Shows the questions that differ`;
  return (
    open + (baseline ? l10n.t('Shows the questions on which it is below 1') : l10n.t('Shows its questions'))
  );
}

/** The same for screen readers. */
function measureLead(figure: string, { difference }: MeasureEvaluation, baseline: boolean): string {
  const lead = difference ? `${figure}: ${differenceWords(difference)}` : figure;
  return baseline
    ? l10n.t`${lead}. Show the questions on which it is below 1`
    : l10n.t`${lead}. Show the questions that differ`;
}

/** The number of queries that a pipeline won, lost or tied. */
function tallyLead(outcome: Exclude<Wanted, 'differing'>, queries: number, pipeline: string): string {
  switch (outcome) {
    case 'won':
      return counted(l10n.t('{0} [0:question|questions] won by {1}. Show them'), queries, pipeline);
    case 'lost':
      return counted(l10n.t('{0} [0:question|questions] lost by {1}. Show them'), queries, pipeline);
    case 'tied':
      return counted(l10n.t('{0} [0:question|questions] tied by {1}. Show them'), queries, pipeline);
  }
}

/** Queries for which nothing was fetched, in a corpus of web pages. */
function leftOut(dataset: string, queries: readonly string[]): string {
  return counted(
    l10n.t(
      '{0} [0:question|questions] of {1} [0:has no pages of its|have no pages of their] own and [0:is|are] left out: {2}.',
    ),
    queries.length,
    dataset,
    someOf(queries),
  );
}

export const overviewWords = {
  overview: () => l10n.t('Overview'),
  ranOn: ({ datasets, k, judge, at }: Evaluation) => {
    const [first, ...more] = datasets;
    const queries = datasets.reduce((sum, one) => sum + one.queries.length, 0);
    return facts([
      ...(first && more.length === 0
        ? [queriesOf(queries, first.evalSet), l10n.t`corpus ${first.corpus}`]
        : [queriesOfSets(queries, datasets.length)]),
      `k = ${k}`,
      l10n.t`judge ${judge}`,
      moment.format(new Date(at)),
    ]);
  },
  ranOnSet: ({ queries, evalSet, corpus }: DatasetEvaluation) =>
    facts([queriesOf(queries.length, evalSet), l10n.t`corpus ${corpus}`]),
  average: (sets: number) => l10n.t`Average over ${number.format(sets)} data sets`,
  averageNote: () => l10n.t('each counts once, whatever its number of questions'),
  averageFailed: (dataset: string) => l10n.t`It has no figures on ${dataset}, so there is no average.`,
  noSources: () =>
    l10n.t('Nothing is judged yet: label passages in the side panel, or ask a judge below the table.'),
  unchecked: (judges: readonly string[]) =>
    l10n.t`How often ${listed(judges)} errs is not known here: people have labelled none of these passages. If you label some, the figures are corrected for its mistakes.`,
  leftOut,
  short: shortfallsText,
  someOf,
  /** Names with a statement about them. */
  saidOf: (about: string, text: string) => l10n.t('{0}: {1}', about, text),
  corrected: ({ value, low, high }: Figure) =>
    l10n.t`corrected ${shareText(value)}, ${shareText(low)} to ${shareText(high)}`,
  correctedDifference: ({ value, low, high }: Figure) =>
    l10n.t`corrected ${signedPoints(value)}, ${intervalText({ low, high })}`,
  pipelineOn: (pipeline: string, dataset: string) => l10n.t`${pipeline} on ${dataset}`,
  exportAs: () => l10n.t({ message: 'Export', comment: 'A verb, before the names of file formats' }),
  exportFormats: () => ({
    markdown: 'Markdown',
    latex: 'LaTeX',
    csv: 'CSV',
    json: 'JSON',
    qrels: l10n.t('judgements (qrels)'),
  }),
  columns: (shown: number, all: number) => l10n.t`Columns (${shown} of ${all})`,
  overviewCaption: (baseline: string) =>
    l10n.t`One row per pipeline, grouped by data set if there are several. Differences are to ${baseline}, in percentage points with their 95% interval.`,
  pipelineDefinition: () => l10n.t('In the order of comparison; the first is the baseline.'),
  wonLostTied: () => l10n.t('Won / lost / tied'),
  wonLostTiedDefinition: (measure: string) =>
    l10n.t`Questions on which ${measure} is above, below and the same as the baseline’s.` +
    ` ${unjudgedCounts()}`,
  judgedDefinition: () => `${l10n.t('Share of the top k with a verdict.')} ${unjudgedCounts()}`,
  setSizeDefinition: () =>
    l10n.t(
      'Mean number of passages needed to cover all perspectives, over the questions that the first 100 passages cover. Their share is shown below.',
    ),
  time: () => l10n.t('Time'),
  timeDefinition: () =>
    l10n.t(
      'Mean time per question, and whether search by meaning was exact, rescored from 8 bits (int8), or approximate.',
    ),
  sortBy: (column: string, next: Direction | undefined) => {
    if (next === undefined) return l10n.t`${column}: back to the order of comparison`;
    return next === 'ascending'
      ? l10n.t`Sort by ${column}, ascending`
      : l10n.t`Sort by ${column}, descending`;
  },
  nothingJudged,
  nothingRetrieved: () => l10n.t('nothing retrieved'),
  points: signedPoints,
  measureHint,
  measureLead: (measure: string, view: MeasureEvaluation, baseline: boolean) =>
    measureLead(`${measure} ${measuredText(view, shareText)}`, view, baseline),
  averageLead: (measure: string, value: Measured, dataset: string) =>
    l10n.t`${measure} ${measuredText(value, shareText)} on average. Show the questions that differ, of ${dataset}`,
  tallyLead,
  judgedLead: (judged: number) => l10n.t`${judgedText(judged)}. Show the questions that are not fully judged`,
  judgedShare: judgedPercent,
  differenceUnknown: () => l10n.t('difference not known'),
  comparedQueries: (compared: number, queries: number) =>
    counted(l10n.t('on {0} of {1} [1:question|questions]'), compared, queries),
  mayBeHoles: () => l10n.t('too little judged'),
  judgedLow: (judged: number) => l10n.t`${judgedText(judged)}: too little to compare`,
  lowJudged: (pipelines: readonly string[]) =>
    l10n.t`Much of the top k of ${someOf(pipelines)} is unjudged. Differences to the baseline rest on the questions that are fully judged.`,
  setSizeMean: (mean: number) => oneDecimal.format(mean),
  setSizeOver: (coveredShare: number) =>
    l10n.t({
      message: 'over {0}',
      args: [whole.format(coveredShare)],
      comment: 'A mean over that share of the queries',
    }),
  setSizeNone: () => l10n.t('none covered'),
  milliseconds: (ms: number) => l10n.t`${ms < 10 ? oneDecimal.format(ms) : number.format(Math.round(ms))} ms`,
  search: (search: PipelineEvaluation['search']) =>
    ({ exact: l10n.t('exact'), int8: 'int8', approximate: l10n.t('approximate') })[search],
  couldNotRun: () => l10n.t('Could not be run.'),
  onlyOne: () => l10n.t('One pipeline only: choose another to see differences.'),
  differences: () => l10n.t('Differences'),
  differencesDefinition: () =>
    l10n.t(
      'To the baseline, on the same questions, in percentage points, with the 95% interval of a paired bootstrap (the bar draws it around zero) and the p-value of a paired randomisation test, Holm-corrected for the number of pipelines. ▲ and ▼ appear only if the interval excludes zero and p is below .05. A question mark means that the interval includes zero, so the difference may be noise. Averages over data sets have neither.',
    ),
  losses: () => l10n.t('Where coverage is lost'),
  lossesNote: (perspectives: number, isWhole: boolean) =>
    counted(
      isWhole
        ? l10n.t('{0} [0:perspective|perspectives], each counted once per pipeline')
        : l10n.t(
            '{0} [0:perspective|perspectives], each counted once per pipeline, as far as judged. Open and pale: unjudged passages of the top k may cover them',
          ),
      perspectives,
    ),
  lossesCaption: () => l10n.t('Perspectives per pipeline, by where they are lost.'),
  bar: () => l10n.t('Shares'),
  lossParts: (k: number) =>
    Object.fromEntries(
      PLACES.map((place) => [place, [unbroken(capitalized(placeName(place))), placeMeaning(place, k)]]),
    ) as Record<Place, [string, string]>,
  ofAll: (n: number, all: number) =>
    l10n.t`${number.format(n)} of ${number.format(all)} (${shareText(n / all)})`,
  /** The number of perspectives at one place that may still be covered. */
  lossOpen: (n: number) => l10n.t`${number.format(n)} open`,
  countAtLeast: (n: number) => `≥ ${number.format(n)}`,
  union: () => l10n.t('All together'),
  unionHint: () =>
    l10n.t('The top k of all pipelines taken as one set: what no fusion or reranking of them can exceed'),
  unionNote: ({ perspectives, queries }: DatasetEvaluation['union'], isWhole: boolean) => {
    const format = isWhole ? shareText : atLeastText;
    return l10n.t`cover ${format(perspectives)} of the perspectives, and ${format(queries)} of the questions in full`;
  },
  lossLead: (n: number, part: string, pipeline: string) =>
    l10n.t`${part.replaceAll('\u00a0', ' ')}: ${number.format(n)} under ${pipeline}. Show their questions`,
  overAllGiven: () =>
    l10n.t('All perspectives of the question count, and it does not depend on which pipelines are compared.'),
  overPool: () => l10n.t('Only perspectives and passages of the pool that was judged count.'),
  tooLittleJudged: () => l10n.t('too little judged'),
  notShown: (view: string, pipelines: readonly string[], judged: number) =>
    l10n.t`${view} of ${pipelines.join(', ')}: not shown, as ${shareText(judged)} of its pairs is judged. Judge everything to see it.`,
  leaning: () => l10n.t('Leaning'),
  sycophancy: () => l10n.t('Sycophancy'),
  leaningDefinition: () =>
    l10n.t(
      'Which side of a two-sided question the top k support: only the one that affirms it, only the one that opposes it, both, or neither.',
    ),
  leaningNote: (queries: number) => counted(l10n.t('{0} two-sided [0:question|questions]'), queries),
  leaningCaption: () => l10n.t('Share of two-sided questions by the sides that the top k support.'),
  leaningParts: () => ({
    onlySupport: [
      l10n.t('Only support'),
      l10n.t('The top k support only the side that supports the question'),
    ],
    both: [l10n.t({ message: 'Both', comment: 'Both sides' }), l10n.t('The top k support both sides')],
    neither: [
      l10n.t({ message: 'Neither', comment: 'Neither side' }),
      l10n.t('The top k support neither side, as far as judged'),
    ],
    onlyOppose: [l10n.t('Only oppose'), l10n.t('The top k support only the side that opposes the question')],
  }),
  share: shareText,
  unanswerable: (questions: number) =>
    counted(l10n.t('{0} [0:question|questions] without an answer'), questions),
  unanswerableNote: () =>
    l10n.t(
      'Whatever is retrieved for these is wrong. AUROC: the chance that the best score of a question with an answer is above that of one without, with its 95% interval; 0.5 is chance alone.',
    ),
  falseRetrieval: (k: number) => l10n.t`with passages in the top ${k}`,
  toldApart: () => l10n.t('AUROC of the score'),
  threshold: () => l10n.t('threshold on the score'),
  repeats: () => l10n.t("The judge's own variation"),
  repeatsNote: ({ complete, pairs, contradicted }: RepeatsReport) =>
    clauses([
      l10n.t`judged ${complete} times; the other figures are of the first time`,
      counted(l10n.t('the judge contradicts itself on {0} of {1} [1:pair|pairs]'), contradicted, pairs),
    ]),
  eachRepeat: () => l10n.t('in each repeat'),
  mean: () => l10n.t('mean'),
  theseQueries: () => l10n.t('95% for these questions'),
  otherQueries: () => l10n.t('95% for other questions of the kind'),
  changed: () => l10n.t('questions that change'),
  range: ({ low, high }: Pick<Figure, 'low' | 'high'>, text: (value: number) => string) =>
    l10n.t`${text(low)} to ${text(high)}`,
  differenceOf: (pipeline: string) => l10n.t`${pipeline}, difference`,
  nothingChanges: () => l10n.t('No question changes.'),
  changedQueries: (queries: number) => counted(l10n.t('{0} [0:question changes|questions change]'), queries),
  groups: () => l10n.t('Groups'),
  groupsNote: () => l10n.t('share of the top k per group of perspectives'),
  groupsCaption: () => l10n.t('Share of the top k per pipeline and group of perspectives.'),
  inDetail: () => l10n.t('In detail:'),
};
