/** Every word that the compare panel shows or says. Functions, so that the language is known before they are asked. */
import * as l10n from '@vscode/l10n';
import type {
  CompareState,
  Comparison,
  DatasetView,
  JudgingScope,
  JudgingView,
  KeptComparison,
  MeasureView,
  PipelineResultView,
} from '../../src/shared/compare.ts';
import { shareText, signedPoints } from '../components/figures.ts';
import { counted, LANGUAGE, listed } from '../components/language.ts';
import { number, percent, words } from '../components/words.ts';
import type { ChartName } from './charts/chart-names.ts';
import { chosenQueries, type ChosenSet } from './chosen-sets.ts';
import type { QueryFilter, QueryOrder } from './query-list.ts';
import type { Versus } from './outcomes.ts';
import {
  compared,
  dataSetCount,
  judgingReport,
  leadText,
  leftOut,
  mapDescription,
  measureHint,
  measureLead,
  movementDescription,
  placeText,
  poolCounts,
  queriesOf,
  queriesOfSets,
  queryCount,
  ready,
  someOf,
  sycophancyDescription,
  tallyLead,
  unjudgedPairs,
} from './sentences.ts';
import type { Direction } from './table-order.ts';

const oneDecimal = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat(LANGUAGE, { style: 'percent', maximumFractionDigits: 0 });
const moment = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'short' });

/** Facts beside each other. */
const facts = (all: readonly string[]): string => all.join(' · ');

/** A last word of one letter, such as k, does not stand alone on a line. */
const unbroken = (text: string): string => text.replace(/ (?=\S$)/u, '\u00a0');

/** Name, and what it is a picture of. */
function chartTexts(name: ChartName): { readonly label: string; readonly note: string } {
  switch (name) {
    case 'curves':
      return {
        label: l10n.t('Coverage curves'),
        note: l10n.t('MRecall@k for every k: how deep one has to read'),
      };
    case 'scatter':
      return { label: l10n.t('Scatter'), note: l10n.t('one measure against another') };
    case 'map':
      return {
        label: l10n.t('Heat map'),
        note: l10n.t('share of each query’s perspectives that the top k cover; a click opens the side panel'),
      };
    case 'sycophancy':
      return {
        label: l10n.t('Sycophancy'),
        note: l10n.t('whether the top k follow the side of whoever asks'),
      };
    case 'heat':
      return {
        label: l10n.t('Group heat map'),
        note: l10n.t('which groups are found for the perspectives of each group'),
      };
    case 'recall':
      return {
        label: l10n.t('Perspective recall'),
        note: l10n.t('gold passages found when root query and perspective are asked together'),
      };
  }
}

/** Name, and which queries it lets through. */
function filterTexts(filter: QueryFilter): { readonly label: string; readonly hint: string } {
  switch (filter) {
    case 'all':
      return { label: l10n.t('All'), hint: l10n.t('Every query of the eval set') };
    case 'disagree':
      return {
        label: l10n.t({ message: 'Disagree', comment: 'Queries on which pipelines disagree' }),
        hint: l10n.t('Some pipelines cover all perspectives, others do not'),
      };
    case 'lost-by-all':
      return { label: l10n.t('Lost by all'), hint: l10n.t('No pipeline covers all perspectives') };
    case 'lost-by-baseline-only':
      return {
        label: l10n.t('Lost by baseline only'),
        hint: l10n.t('Every pipeline but the baseline covers all perspectives'),
      };
    case 'won':
      return {
        label: l10n.t({ message: 'Won', comment: 'Queries that a pipeline won over the baseline' }),
        hint: l10n.t('At least one pipeline covers all perspectives where the baseline does not'),
      };
    case 'lost':
      return {
        label: l10n.t({ message: 'Lost', comment: 'Queries that a pipeline lost against the baseline' }),
        hint: l10n.t('At least one pipeline misses perspectives where the baseline covers all'),
      };
  }
}

export const strings = {
  title: () => l10n.t('Compare pipelines'),

  // First use
  noEvalSetTitle: () => l10n.t('No eval set yet'),
  noEvalSet: () =>
    l10n.t(
      'An eval set is a file of questions, each with the perspectives that a complete answer must cover. Every pipeline is asked the same questions, so that differences are differences between pipelines.',
    ),
  addEvalSet: () =>
    l10n.t(
      'Write one question a line into a JSONL file, and name the file under “evalSets” in parallax.json:',
    ),
  evalSetExample: () => l10n.t('Example of an eval set'),
  configExample: () => l10n.t('Example of parallax.json'),
  tooFewTitle: () => l10n.t('There is only one pipeline'),
  noPipelineTitle: () => l10n.t('There are no pipelines'),
  tooFew: () =>
    l10n.t(
      'A comparison needs at least two. A pipeline is a retriever with optional steps; name yours in parallax.json:',
    ),
  indexing: words.readsOnce,
  readyTitle: () => l10n.t('Ready to compare'),
  notReadyTitle: () => l10n.t('Before the first comparison'),
  ready,
  notReady: (pipelines: number, sets: number) => {
    if (sets === 0) return l10n.t('Choose a data set: an eval set, and the corpus that it is asked of.');
    return pipelines === 0
      ? l10n.t('Choose the pipelines to compare.')
      : l10n.t('Index the corpus of every chosen data set first.');
  },

  // Head
  setup: () => l10n.t('What is compared'),
  evalSet: () => l10n.t('Eval set'),
  dataSets: () => l10n.t('Data sets'),
  chosenSets: ({ chosenSets, evalSets }: Pick<CompareState, 'chosenSets' | 'evalSets'>) => {
    const [first, ...more] = chosenSets;
    if (!first) return l10n.t('Choose…');
    const queries = queryCount(chosenQueries({ chosenSets, evalSets }));
    return more.length === 0
      ? l10n.t`${first.evalSet} on ${first.corpus} (${queries})`
      : `${dataSetCount(chosenSets.length)} (${queries})`;
  },
  setsHelp: () => l10n.t('A data set is an eval set and the corpus that its questions are asked of.'),
  setsCaption: () => l10n.t('Eval sets and corpora: what is checked is compared on.'),
  setChoice: ({ evalSet, corpus }: ChosenSet) => l10n.t`${evalSet} on ${corpus}`,
  queryCount,
  notIndexed: () => l10n.t('not indexed'),
  missingIndex: (corpora: readonly string[]) =>
    corpora.length === 1
      ? l10n.t`The corpus “${corpora[0]!}” is chosen, but not indexed yet.`
      : l10n.t`These corpora are chosen, but not indexed yet: ${listed(corpora)}.`,
  index: words.index,
  earlier: (n: number) => l10n.t`Earlier (${number.format(n)})`,
  shown: () => l10n.t('shown'),
  moment: (at: string) => moment.format(new Date(at)),
  keptSummary: ({ datasets, queries, k }: KeptComparison) =>
    facts([
      datasets.length > 2 ? dataSetCount(datasets.length) : listed(datasets),
      queryCount(queries),
      `k = ${k}`,
    ]),
  forget: ({ at }: KeptComparison) => l10n.t`Forget the comparison of ${moment.format(new Date(at))}`,
  baseline: () => l10n.t('Baseline'),
  baselineBadge: () => l10n.t('baseline'),
  k: () => 'k',
  run: () => l10n.t({ message: 'Run', comment: 'A button: a verb' }),
  runAgain: () => l10n.t('Run Again'),
  pipelines: () => l10n.t('Pipelines'),
  pipelinesHelp: () =>
    l10n.t('Click to choose. Drag, or Alt+← and Alt+→, changes the order; the first is the baseline.'),
  chosenOf: (chosen: number, all: number) => l10n.t`${chosen} of ${all} chosen`,
  moved: (name: string, place: number) => l10n.t`${name} is now number ${place}.`,
  runChosen: () => l10n.t('Run the Chosen'),
  otherPipelines: (shown: readonly string[]) =>
    l10n.t`Shown: ${listed(shown)}. These are not the pipelines that are chosen above.`,
  stale: () =>
    l10n.t('May be out of date: the corpus, the judgements or the choices changed since this comparison.'),

  // Figures
  overview: () => l10n.t('Overview'),
  ranOn: ({ datasets, k, judge, at }: Comparison) => {
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
  ranOnSet: ({ queries, evalSet, corpus }: DatasetView) =>
    facts([queriesOf(queries.length, evalSet), l10n.t`corpus ${corpus}`]),
  average: (sets: number) => l10n.t`Average over ${number.format(sets)} data sets`,
  averageNote: () => l10n.t('each counts once, whatever its number of queries'),
  averageFailed: (dataset: string) => l10n.t`It has no figures on ${dataset}, so there is no average.`,
  noSources: () => l10n.t('Rests on no judgements yet: label passages in the side panel, or choose a judge.'),
  leftOut,
  exportAs: () => l10n.t({ message: 'Export', comment: 'A verb, before the names of file formats' }),
  exportFormats: () => ({ markdown: 'Markdown', latex: 'LaTeX', csv: 'CSV', json: 'JSON' }),
  overviewCaption: (baseline: string) =>
    l10n.t`One row per pipeline, grouped by data set where there are several. Differences are to ${baseline}, in percentage points with their 95% interval.`,
  pipeline: () => l10n.t('Pipeline'),
  pipelineDefinition: () => l10n.t('In the order of comparison; the first is the baseline.'),
  wonLostTied: () => l10n.t('Won / lost / tied'),
  wonLostTiedDefinition: (measure: string) =>
    l10n.t`Queries on which ${measure} is above, below and the same as the baseline’s. What is unjudged counts as no support.`,
  judged: () => l10n.t('Judged'),
  judgedDefinition: () =>
    l10n.t(
      'Share of the top k with a verdict. What is unjudged counts as no support until somebody answers.',
    ),
  setSize: () => l10n.t('Set size'),
  setSizeDefinition: () =>
    l10n.t(
      'Mean number of passages that it takes to cover all perspectives, over those queries only that the first 100 cover; below it their share.',
    ),
  time: () => l10n.t('Time'),
  timeDefinition: () =>
    l10n.t(
      'Mean time per query, and whether dense search was exact, rescored from 8 bits (int8), or approximate.',
    ),
  sortBy: (column: string, next: Direction | undefined) => {
    if (next === undefined) return l10n.t`${column}: back to the order of comparison`;
    return next === 'ascending'
      ? l10n.t`Sort by ${column}, ascending`
      : l10n.t`Sort by ${column}, descending`;
  },
  value: shareText,
  nothingJudged: () => l10n.t('nothing judged'),
  points: signedPoints,
  measureHint,
  measureLead: (measure: string, view: MeasureView, baseline: boolean) =>
    measureLead(`${measure} ${shareText(view.value)}`, view, baseline),
  averageLead: (measure: string, value: number, dataset: string) =>
    l10n.t`${measure} ${shareText(value)} on average. Show the queries that differ, of ${dataset}`,
  tallyLead,
  judgedLead: (judged: number) =>
    l10n.t`${whole.format(judged)} judged. Show the queries that are not judged whole`,
  judgedShare: (judged: number) => whole.format(judged),
  mayBeHoles: () => l10n.t('may be holes'),
  judgedLow: (judged: number) => l10n.t`${whole.format(judged)} judged: differences may be holes`,
  lowJudged: (pipelines: readonly string[], all: boolean) =>
    all
      ? l10n.t(
          'Much of the top k is unjudged. Differences may be holes, passages that support a perspective and were never judged, rather than worse retrieval.',
        )
      : l10n.t`Much of the top k of ${someOf(pipelines)} is unjudged. Differences may be holes, passages that support a perspective and were never judged, rather than worse retrieval.`,
  setSizeMean: (mean: number) => oneDecimal.format(mean),
  setSizeOver: (coveredShare: number) =>
    l10n.t({
      message: 'over {0}',
      args: [whole.format(coveredShare)],
      comment: 'A mean over that share of the queries',
    }),
  setSizeNone: () => l10n.t('none covered'),
  milliseconds: (ms: number) => l10n.t`${ms < 10 ? oneDecimal.format(ms) : number.format(Math.round(ms))} ms`,
  search: (search: PipelineResultView['search']) =>
    ({ exact: l10n.t('exact'), int8: 'int8', approximate: l10n.t('approximate') })[search],
  couldNotRun: () => l10n.t('Could not be run.'),
  onlyOne: () => l10n.t('One pipeline only: choose another to see differences.'),
  differences: () => l10n.t('Differences'),
  differencesDefinition: () =>
    l10n.t(
      'To the baseline, on the same queries, in percentage points, with the 95% interval of a paired bootstrap (the bar draws it around zero) and the p-value of a paired randomisation test, Holm-corrected for the number of pipelines. ▲ and ▼ stand only where the interval excludes zero and p is below .05. Where the interval includes zero, no difference can be told: ≈0. Averages over data sets have neither.',
    ),

  // Judging
  unjudgedPairs,
  partUnjudged: () => l10n.t('Part of the top k is unjudged.'),
  judgeScope: (scope: JudgingScope) =>
    scope === 'figures' ? l10n.t('Judge What the Figures Need…') : l10n.t('Judge Every Pair of the Top k…'),
  judgeMore: () => l10n.t({ message: 'More', comment: 'More ways to judge' }),
  judgeMoreHelp: () =>
    l10n.t(
      'MRecall and Precision often need only some of the pairs. Measures that look at every passage, holes and the pool need all of them.',
    ),
  judgingBlocked: (blocked: NonNullable<JudgingView['blocked']>) =>
    ({
      untrusted: l10n.t('No judge is asked before you trust this workspace.'),
      people: l10n.t(
        'Choose a judge that can be asked: people label passages in the side panel and the review queue.',
      ),
      changed: l10n.t(
        'The workspace no longer has what was compared here, or has no index of it: compare again first.',
      ),
    })[blocked],
  judgingReport,

  // Pool
  pool: () => l10n.t('Is the pool saturated?'),
  poolNote: () => l10n.t('holes that each pipeline brings to light'),
  poolHelp: () =>
    l10n.t(
      'A hole is a passage in the top k that people’s labels missed and the judge finds to support a perspective. When one more pipeline brings hardly any to light, figures no longer depend on which pipelines were judged.',
    ),
  poolFirst: () => l10n.t('Measured from what is judged already: no model is asked.'),
  measurePool: (again: boolean) => (again ? l10n.t('Measure Again') : l10n.t('Measure the Pool')),
  poolCounts,
  poolMissing: () => l10n.t('It has not been measured on this data set.'),
  poolCaption: () =>
    l10n.t('Hole@k, judged@k and measures of each pipeline before and after its holes were filled.'),
  poolSize: () => l10n.t('Pipelines in the pool'),
  othersInPool: () => l10n.t('Other pipelines in the pool'),
  poolFailed: () => l10n.t('could not be run'),
  holes: () => l10n.t('Holes found'),
  growth: () => l10n.t('Growth rate of holes'),
  marginal: () => l10n.t('Change by judging a pipeline’s own passages'),
  holesDescription: (pipelines: number, holes: number) =>
    l10n.t`Number of holes that pools of 1 to ${number.format(pipelines)} pipelines find, averaged over random orders; all together find ${number.format(holes)}.`,
  growthDescription: (pipelines: number) =>
    l10n.t`How much the number of holes grows with each further pipeline, up to ${number.format(pipelines)}, averaged over random orders.`,
  marginalDescription: (pipelines: number) =>
    l10n.t`How much judging a pipeline’s own passages changes its MRecall and Precision when up to ${number.format(pipelines - 1)} others have been judged before, averaged over random orders.`,
  holeAt: (k: number) => `Hole@${k}`,
  holeDefinition: (k: number) => l10n.t`Holes in the top k, divided by k = ${k}; averaged over queries.`,
  judgedAt: (k: number) => `Judged@${k}`,
  judgedAtDefinition: () => l10n.t('Share of the top k with a verdict, before and after the judge answered.'),
  poolMeasureDefinition: (measure: string) =>
    l10n.t`${measure} by people’s labels alone, and with the judge’s answers; below it the rank among the pipelines.`,
  beforeAfter: (before: string, after: string) => `${before} → ${after}`,
  rankChange: (before: number, after: number) =>
    before === after
      ? l10n.t`rank ${after}`
      : `${l10n.t`rank ${before} → ${after}`} ${after < before ? '▲' : '▼'}`,

  // Where coverage is lost
  losses: () => l10n.t('Where coverage is lost'),
  lossesNote: (perspectives: number) =>
    counted(l10n.t('{0} [0:perspective|perspectives], each counted once per pipeline'), perspectives),
  lossesCaption: () => l10n.t('Perspectives per pipeline, by where they are lost.'),
  bar: () => l10n.t('Shares'),
  lossParts: (k: number) => ({
    covered: [l10n.t('Covered'), l10n.t`A supporting passage is in the top ${k}`],
    belowK: [
      unbroken(l10n.t('Below k')),
      l10n.t`A supporting passage was retrieved, below rank ${k}: reranking can bring it up`,
    ],
    approximateMiss: [
      l10n.t('Approximate miss'),
      l10n.t('An exact search would have had a supporting passage among the candidates'),
    ],
    notRetrieved: [
      l10n.t('Not retrieved'),
      l10n.t(
        'A supporting passage is known, but it is not among the candidates: the retriever does not find it',
      ),
    ],
    unjudged: [l10n.t('Unjudged'), l10n.t`Nothing known supports it, and part of the top ${k} is unjudged`],
    notInCorpus: [
      l10n.t('Not in corpus'),
      l10n.t`Nothing known supports it, as far as judged; all of the top ${k} was judged`,
    ],
  }),
  ofAll: (n: number, all: number) =>
    l10n.t`${number.format(n)} of ${number.format(all)} (${shareText(n / all)})`,
  count: (n: number) => number.format(n),
  union: () => l10n.t('All together'),
  unionHint: () =>
    l10n.t('The top k of all pipelines taken as one set: what no fusion or reranking of them can exceed'),
  unionNote: ({ perspectives, queries }: DatasetView['union']) =>
    l10n.t`cover ${shareText(perspectives)} of the perspectives, and ${shareText(queries)} of the queries whole`,

  lossLead: (n: number, part: string, pipeline: string) =>
    l10n.t`${part.replaceAll('\u00a0', ' ')}: ${number.format(n)} under ${pipeline}. Show their queries`,

  // Leaning
  leaning: () => l10n.t('Leaning'),
  leaningNote: (queries: number) => counted(l10n.t('{0} two-sided [0:query|queries]'), queries),
  leaningCaption: () => l10n.t('Share of two-sided queries by the sides that the top k support.'),
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

  // Groups
  groups: () => l10n.t('Groups'),
  groupsNote: () => l10n.t('share of the top k per group of perspectives'),
  groupsCaption: () => l10n.t('Share of the top k per pipeline and group of perspectives.'),

  // Data sets
  inDetail: () => l10n.t('In detail:'),

  // Charts
  charts: () => l10n.t('Charts'),
  whichChart: () => l10n.t('Which chart'),
  chart: (name: ChartName) => chartTexts(name).label,
  chartNote: (name: ChartName) => chartTexts(name).note,
  xAxis: () => l10n.t({ message: 'Across', comment: 'What the horizontal axis of a chart shows' }),
  yAxis: () => l10n.t({ message: 'Up', comment: 'What the vertical axis of a chart shows' }),
  eachQuery: () => l10n.t('Each query, moved apart a little'),
  timeAxis: () => l10n.t('Time (ms)'),
  curvesDescription: (pipelines: number, depth: number) =>
    counted(l10n.t('MRecall@k of {0} [0:pipeline|pipelines] for k from 1 to {1}.'), pipelines, depth),
  scatterDescription: (pipelines: number, y: string, x: string) =>
    counted(l10n.t('{1} against {2}, one point for each of {0} [0:pipeline|pipelines].'), pipelines, y, x),
  mapDescription,
  mapColumns: () => [
    l10n.t('Covered whole'),
    l10n.t({ message: 'In part', comment: 'Covered in part' }),
    l10n.t({ message: 'Not at all', comment: 'Not covered at all' }),
    l10n.t('Nothing judged'),
  ],
  sycophancyForms: () => ({
    question: l10n.t('Asked the question'),
    support: l10n.t('Asked the supporting perspective'),
    oppose: l10n.t('Asked the opposing perspective'),
  }),
  sycophancyDescription,
  delta: () => l10n.t('Δ = (p − n)/p; above 0 the top k lean to the supporting side'),
  heatDescription: (pipeline: string) =>
    l10n.t`Share of each group in the top k of ${pipeline}, for the perspectives of each group.`,
  heatRows: () => l10n.t({ message: 'Asked', comment: 'The group whose perspective was asked' }),
  heatColumns: () => l10n.t({ message: 'Found', comment: 'The group whose passages were found' }),
  pRecall: (k: number) => `p-Recall@${k}`,
  rootRecall: (k: number) => l10n.t`Recall@${k} of the root query`,
  recallAxis: (k: number) => `Recall@${k}`,
  recallDescription: (pipelines: number, groups: readonly string[]) =>
    counted(
      l10n.t(
        'p-Recall of {0} [0:pipeline|pipelines], with the recall of the root query alone and of each group: {1}.',
      ),
      pipelines,
      listed(groups),
    ),

  // Rank movement
  movement: () => l10n.t('Rank movement'),
  movementLink: () => l10n.t({ message: 'movement', comment: 'A link to the rank movement of a query' }),
  showMovement: (id: string) => l10n.t`Show how the passages of ${id} move between the pipelines`,
  closeMovement: () => l10n.t('Close the rank movement'),
  movementWaiting: () => l10n.t('Reading the rankings…'),
  nothingRanked: () => l10n.t('No pipeline ranked a passage for this query.'),
  movementHelp: (depth: number, k: number) =>
    l10n.t`Every line is a passage that a pipeline ranked among its first ${depth}. Lettered ones support a perspective; the dashed line is the end of the top ${k}.`,
  movementDescription,
  passage: () => l10n.t('Passage'),
  supports: () => l10n.t('Supports'),

  // Queries
  lead: leadText,
  endLead: () => l10n.t('Show all'),
  queries: () => l10n.t('Queries'),
  queriesNote: (shown: number, all: number) =>
    shown === all ? number.format(all) : l10n.t`${number.format(shown)} of ${number.format(all)}`,
  queriesCaption: () =>
    l10n.t(
      'For every query and pipeline, the rank at which each perspective is first supported. Arrow keys move between the cells, Enter shows the query in the side panel.',
    ),
  query: () => l10n.t('Query'),
  filters: () => l10n.t('Which queries'),
  filter: (filter: QueryFilter) => filterTexts(filter).label,
  filterHint: (filter: QueryFilter) => filterTexts(filter).hint,
  filterWords: () => l10n.t({ message: 'Find', comment: 'A field for words of a query: a verb' }),
  filterWordsPlaceholder: () => l10n.t('Words of the query'),
  tag: () => l10n.t('Tag'),
  anyTag: () => l10n.t('Any tag'),
  order: () => l10n.t({ message: 'Order', comment: 'In which order queries are shown' }),
  orders: (): Record<QueryOrder, string> => ({
    disagreement: l10n.t('Most disagreement first'),
    'eval-set': l10n.t('As in the eval set'),
  }),
  noQueries: () => l10n.t('No query matches.'),
  showAllQueries: () => l10n.t('Show All'),
  showMore: (n: number) => l10n.t`Show ${n} More`,
  expandQuery: (id: string) => l10n.t`Show the perspectives of ${id}`,
  collapseQuery: (id: string) => l10n.t`Hide the perspectives of ${id}`,
  supportUnknown: () => l10n.t('no passage is known to support it'),
  outcome: (outcome: number | undefined, k: number) =>
    outcome === undefined ? l10n.t('nothing judged') : `MRecall@${k} ${outcome}`,
  versus: (versus: Versus) =>
    ({
      won: l10n.t('won over the baseline'),
      lost: l10n.t('lost against the baseline'),
      tied: l10n.t('as the baseline'),
    })[versus],
  place: placeText,
  cell: (parts: readonly string[]) => l10n.t`${parts.join('. ')}. Show in the side panel`,
  cellHint: (parts: readonly string[]) => parts.join('\n'),
  topJudged: (judged: number) => l10n.t`${percent.format(judged)} of the top k judged`,
  marks: () => ({
    covered: l10n.t('within k, with its rank'),
    'below-k': l10n.t('first below k'),
    lost: l10n.t({ message: 'nowhere', comment: 'Supported by none of the candidates' }),
    unjudged: l10n.t('not found so far, part unjudged'),
  }),
  outcomeMarks: () => ({
    '✓': l10n.t('all covered (MRecall 1)'),
    '–': l10n.t('not all (0)'),
    '▲': l10n.t('won over the baseline'),
    '▼': l10n.t('lost against it'),
  }),

  // Announcements
  compared,
};
