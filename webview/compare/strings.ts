/** Every word that the compare panel shows or says. Functions, so that translations can be put behind them. */
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
import { shortP, SIGNIFICANT } from '../../src/shared/p-value.ts';
import type { PoolDatasetView, PoolReport } from '../../src/shared/pool.ts';
import { count, number, percent, words } from '../components/words.ts';
import type { ChartName } from './charts/chart.ts';
import type { ChosenSet } from './chosen-sets.ts';
import type { Lead, LeadPlace, Wanted } from './lead.ts';
import type { Place, Versus } from './outcomes.ts';
import type { QueryFilter, QueryOrder } from './query-list.ts';
import type { Direction } from './table-order.ts';

type Difference = NonNullable<MeasureView['difference']>;

const points = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const oneDecimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const share = new Intl.NumberFormat('en', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const whole = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Percentage points with a real minus sign; `−0.0` does not exist. */
function inPoints(value: number): string {
  const text = points.format(Math.abs(value) * 100);
  return value < 0 && text !== '0.0' ? `−${text}` : text;
}

/** `[−1.1, 6.8]` */
function interval({ low, high }: Pick<Difference, 'low' | 'high'>): string {
  return `[${inPoints(low)}, ${inPoints(high)}]`;
}

function signedPoints(value: number): string {
  return `${value > 0 ? '+' : ''}${inPoints(value)} pts`;
}

const pValue = (p: number): string => `p ${shortP(p)}`;
const queryCount = (n: number): string => count(n, 'query', 'queries');

/** A difference with all that is known of it. */
function differenceWords({ value, low, high, p, wins, losses, ties }: Difference): string {
  const includesZero = low <= 0 && high >= 0;
  return [
    `${signedPoints(value)}, 95% interval ${interval({ low, high })}`,
    ...(includesZero ? ['the interval includes zero: no difference can be told'] : []),
    ...(p === undefined
      ? []
      : [`${pValue(p)}, corrected: ${p < SIGNIFICANT ? 'significant' : 'not significant'} at .05`]),
    `${queryCount(wins)} won, ${number.format(losses)} lost, ${number.format(ties)} tied`,
  ].join('; ');
}

const WANTED: Record<Wanted, string> = {
  differing: 'differs from the baseline',
  won: 'is above the baseline’s',
  lost: 'is below the baseline’s',
  tied: 'is the baseline’s',
};

const PLACES: Record<LeadPlace, string> = {
  covered: 'covers a perspective',
  'below-k': 'first supports a perspective below k',
  'not-retrieved': 'does not retrieve a perspective that something is known to support',
  'not-in-corpus': 'has a perspective that nothing is known to support',
  unjudged: 'has a perspective that is unjudged',
};

/** By the part of a measure's name before `@`. */
const MEASURES: Record<string, string> = {
  MRecall:
    'Share of queries whose perspectives the top k cover: all of them, or k of them when there are more.',
  Precision: 'Share of the first k places with a passage that supports at least one perspective.',
  pRecall: 'Success over the perspectives of a query, averaged over queries.',
  StRecall: 'Share of a query’s perspectives that the top k cover.',
  Recall: 'Share of the supporting passages that are in the top k.',
  nDCG: 'Gain of the top k, discounted by rank, against the best possible order.',
  alpha_nDCG: 'As nDCG, but a perspective that is covered again gains less each time.',
  ERR_IA: 'Expected reciprocal rank at which a reader finds support, averaged over perspectives.',
};

/** Name, and what it is a picture of. */
const CHARTS: Record<ChartName, readonly [label: string, note: string]> = {
  curves: ['Coverage curves', 'MRecall@k for every k: how deep one has to read'],
  scatter: ['Scatter', 'one measure against another'],
  map: ['Heat map', 'share of each query’s perspectives that the top k cover; a click opens the side panel'],
  sycophancy: ['Sycophancy', 'whether the top k follow the side of whoever asks'],
  heat: ['Group heat map', 'which groups are found for the perspectives of each group'],
  recall: ['Perspective recall', 'gold passages found when root query and perspective are asked together'],
};

/** At most four decimals, none that say nothing. */
const figure = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });

/** As many names as a sentence can hold. */
const listed = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 4).join(', ')} and ${names.length - 4} more`;

function leadWords(lead: Lead): string {
  switch (lead.to) {
    case 'versus':
      return `on which ${lead.measure} of ${lead.pipeline} ${WANTED[lead.wanted]}`;
    case 'short':
      return `on which ${lead.measure} of ${lead.pipeline} is below 1`;
    case 'place':
      return `on which ${lead.pipeline} ${PLACES[lead.place]}`;
    case 'unjudged':
      return `on which the top k of ${lead.pipeline} are not all judged`;
  }
}

const FILTERS: Record<QueryFilter, readonly [label: string, explanation: string]> = {
  all: ['All', 'Every query of the eval set'],
  disagree: ['Disagree', 'Some pipelines cover all perspectives, others do not'],
  'lost-by-all': ['Lost by all', 'No pipeline covers all perspectives'],
  'lost-by-baseline-only': [
    'Lost by baseline only',
    'Every pipeline but the baseline covers all perspectives',
  ],
  won: ['Won', 'At least one pipeline covers all perspectives where the baseline does not'],
  lost: ['Lost', 'At least one pipeline misses perspectives where the baseline covers all'],
};

const SCOPES: Record<JudgingScope, string> = {
  figures: 'Judge What the Figures Need…',
  everything: 'Judge Every Pair of the Top k…',
};

const BLOCKED: Record<NonNullable<JudgingView['blocked']>, string> = {
  untrusted: 'No judge is asked before you trust this workspace.',
  people: 'Choose a judge that can be asked: people label passages in the side panel and the review queue.',
  changed: 'The workspace no longer has what was compared here, or has no index of it: compare again first.',
};

export const strings = {
  title: () => 'Compare pipelines',

  // First use
  noEvalSetTitle: () => 'No eval set yet',
  noEvalSet: () =>
    'An eval set is a file of questions, each with the perspectives that a complete answer must cover. Every pipeline is asked the same questions, so that differences are differences between pipelines.',
  addEvalSet: () =>
    'Write one question a line into a JSONL file, and name the file under “evalSets” in parallax.json:',
  evalSetExample: () => 'Example of an eval set',
  configExample: () => 'Example of parallax.json',
  tooFewTitle: () => 'There is only one pipeline',
  noPipelineTitle: () => 'There are no pipelines',
  tooFew: () =>
    'A comparison needs at least two. A pipeline is a retriever with optional steps; name yours in parallax.json:',
  openConfig: () => 'Open parallax.json',
  indexing: () => 'Parallax reads the documents of this corpus once, and later only what changed.',
  readyTitle: () => 'Ready to compare',
  notReadyTitle: () => 'Before the first comparison',
  ready: (pipelines: number, queries: number, sets: number) =>
    `${count(pipelines, 'pipeline')} will answer the same ${queryCount(queries)}${sets > 1 ? ` of ${count(sets, 'data set')}` : ''}. The first one is the baseline that the others are held against.`,
  notReady: (pipelines: number, sets: number) =>
    sets === 0
      ? 'Choose a data set: an eval set, and the corpus that it is asked of.'
      : pipelines === 0
        ? 'Choose the pipelines to compare.'
        : 'Index the corpus of every chosen data set first.',

  // Head
  setup: () => 'What is compared',
  evalSet: () => 'Eval set',
  dataSets: () => 'Data sets',
  chosenSets: ({ chosenSets, evalSets }: Pick<CompareState, 'chosenSets' | 'evalSets'>) => {
    const [first, ...more] = chosenSets;
    if (!first) return 'Choose…';
    const queries = (set: ChosenSet): number =>
      evalSets.find(({ path }) => path === set.evalSet)?.queries ?? 0;
    const all = chosenSets.reduce((sum, set) => sum + queries(set), 0);
    return more.length === 0
      ? `${first.evalSet} on ${first.corpus} (${queryCount(all)})`
      : `${number.format(chosenSets.length)} data sets (${queryCount(all)})`;
  },
  setsHelp: () => 'A data set is an eval set and the corpus that its questions are asked of.',
  setsCaption: () => 'Eval sets and corpora: what is checked is compared on.',
  setChoice: ({ evalSet, corpus }: ChosenSet) => `${evalSet} on ${corpus}`,
  queryCount,
  notIndexed: () => 'not indexed',
  missingIndex: (corpora: readonly string[]) =>
    corpora.length === 1
      ? `The corpus “${corpora[0]}” is chosen, but not indexed yet.`
      : `These corpora are chosen, but not indexed yet: ${corpora.join(', ')}.`,
  index: (corpus: string) => `Index ${corpus}`,
  earlier: (n: number) => `Earlier (${number.format(n)})`,
  shown: () => 'shown',
  moment: (at: string) => moment.format(new Date(at)),
  keptSummary: ({ datasets, queries, k }: KeptComparison) =>
    `${datasets.length > 2 ? count(datasets.length, 'data set') : datasets.join(', ')} · ${queryCount(queries)} · k = ${k}`,
  forget: ({ at }: KeptComparison) => `Forget the comparison of ${moment.format(new Date(at))}`,
  baseline: () => 'Baseline',
  baselineBadge: () => 'baseline',
  k: () => 'k',
  run: () => 'Run',
  runAgain: () => 'Run Again',
  pipelines: () => 'Pipelines',
  pipelinesHelp: () =>
    'Click to choose. Drag, or Alt+← and Alt+→, changes the order; the first is the baseline.',
  chosenOf: (chosen: number, all: number) => `${chosen} of ${all} chosen`,
  moved: (name: string, place: number) => `${name} is now number ${place}.`,
  runChosen: () => 'Run the Chosen',
  otherPipelines: (shown: readonly string[]) =>
    `Shown: ${shown.join(', ')}. These are not the pipelines that are chosen above.`,
  stale: () => 'May be out of date: the corpus, the judgements or the choices changed since this comparison.',

  // Figures
  overview: () => 'Overview',
  ranOn: ({ datasets, k, judge, at }: Comparison) => {
    const [first, ...more] = datasets;
    const queries = datasets.reduce((sum, one) => sum + one.queries.length, 0);
    const of =
      first && more.length === 0
        ? `${queryCount(queries)} of ${first.evalSet} · corpus ${first.corpus}`
        : `${queryCount(queries)} of ${count(datasets.length, 'data set')}`;
    return `${of} · k = ${k} · judge ${judge} · ${moment.format(new Date(at))}`;
  },
  ranOnSet: ({ queries, evalSet, corpus }: DatasetView) =>
    `${queryCount(queries.length)} of ${evalSet} · corpus ${corpus}`,
  average: (sets: number) => `Average over ${count(sets, 'data set')}`,
  averageNote: () => 'each counts once, whatever its number of queries',
  averageFailed: (dataset: string) => `It has no figures on ${dataset}, so there is no average.`,
  noSources: () => 'Rests on no judgements yet: label passages in the side panel, or choose a judge.',
  exportAs: () => 'Export',
  exportFormats: () => ({ markdown: 'Markdown', latex: 'LaTeX', csv: 'CSV', json: 'JSON' }),
  overviewCaption: (baseline: string) =>
    `One row per pipeline, grouped by data set where there are several. Differences are to ${baseline}, in percentage points with their 95% interval.`,
  pipeline: () => 'Pipeline',
  pipelineDefinition: () => 'In the order of comparison; the first is the baseline.',
  measureDefinition: (measure: string) =>
    `${MEASURES[measure.split('@')[0] ?? ''] ?? 'Averaged over queries.'}`,
  wonLostTied: () => 'Won / lost / tied',
  wonLostTiedDefinition: (measure: string) =>
    `Queries on which ${measure} is above, below and the same as the baseline’s. What is unjudged counts as no support.`,
  judged: () => 'Judged',
  judgedDefinition: () =>
    'Share of the top k with a verdict. What is unjudged counts as no support until somebody answers.',
  setSize: () => 'Set size',
  setSizeDefinition: () =>
    'Mean number of passages that it takes to cover all perspectives, over those queries only that the first 100 cover; below it their share.',
  time: () => 'Time',
  timeDefinition: () =>
    'Mean time per query, and whether dense search was exact, rescored from 8 bits (int8), or approximate.',
  sortBy: (column: string, next: Direction | undefined) =>
    next === undefined ? `${column}: back to the order of comparison` : `Sort by ${column}, ${next}`,
  value: (value: number) => share.format(value),
  nothingJudged: () => 'nothing judged',
  points: signedPoints,
  noDifference: () => '≈0',
  interval,
  pValue,
  measureHint: ({ difference }: MeasureView, baseline: boolean) =>
    difference
      ? `${differenceWords(difference)}. Shows the queries that differ`
      : baseline
        ? 'Shows the queries on which it is below 1'
        : 'Shows its queries',
  measureLead: (measure: string, { value, difference }: MeasureView, baseline: boolean) =>
    `${measure} ${share.format(value)}${difference ? `: ${differenceWords(difference)}` : ''}. Show the queries ${baseline ? 'on which it is below 1' : 'that differ'}`,
  averageLead: (measure: string, value: number, dataset: string) =>
    `${measure} ${share.format(value)} on average. Show the queries that differ, of ${dataset}`,
  tallyLead: (wanted: Wanted, n: number, pipeline: string) =>
    `${queryCount(n)} ${wanted} by ${pipeline}. Show them`,
  judgedLead: (judged: number) =>
    `${whole.format(judged)} judged. Show the queries that are not judged whole`,
  judgedShare: (judged: number) => whole.format(judged),
  mayBeHoles: () => 'may be holes',
  judgedLow: (judged: number) => `${whole.format(judged)} judged: differences may be holes`,
  lowJudged: (pipelines: readonly string[], all: boolean) =>
    `${all ? 'Much of the top k is' : `Much of the top k of ${listed(pipelines)} is`} unjudged. Differences may be holes, passages that support a perspective and were never judged, rather than worse retrieval.`,
  setSizeMean: (mean: number) => oneDecimal.format(mean),
  setSizeOver: (coveredShare: number) => `over ${whole.format(coveredShare)}`,
  setSizeNone: () => 'none covered',
  milliseconds: (ms: number) =>
    ms < 10 ? `${oneDecimal.format(ms)} ms` : `${number.format(Math.round(ms))} ms`,
  search: (search: PipelineResultView['search']) => search,
  couldNotRun: () => 'Could not be run.',
  onlyOne: () => 'One pipeline only: choose another to see differences.',
  differences: () => 'Differences',
  differencesDefinition: () =>
    'To the baseline, on the same queries, in percentage points, with the 95% interval of a paired bootstrap (the bar draws it around zero) and the p-value of a paired randomisation test, Holm-corrected for the number of pipelines. ▲ and ▼ stand only where the interval excludes zero and p is below .05. Where the interval includes zero, no difference can be told: ≈0. Averages over data sets have neither.',

  // Judging
  unjudgedPairs: ({ pairs, known }: NonNullable<JudgingView['counted']>) =>
    known < pairs
      ? `${number.format(pairs - known)} of ${count(pairs, 'pair')} in the top k ${pairs - known === 1 ? 'is' : 'are'} unjudged.`
      : `All ${count(pairs, 'pair')} in the top k are judged.`,
  partUnjudged: () => 'Part of the top k is unjudged.',
  judgeScope: (scope: JudgingScope) => SCOPES[scope],
  judgeMore: () => 'More',
  judgeMoreHelp: () =>
    'MRecall and Precision often need only some of the pairs. Measures that look at every passage, holes and the pool need all of them.',
  judgingBlocked: (blocked: NonNullable<JudgingView['blocked']>) => BLOCKED[blocked],
  judgingReport: ({
    asked,
    answered,
    failed,
    saved,
    settled,
    queries,
    stopped,
    error,
  }: NonNullable<JudgingView['report']>) =>
    [
      `${count(answered, 'pair')} judged${asked === answered ? '' : ` of ${number.format(asked)} asked`}.`,
      ...(failed > 0 ? [`${number.format(failed)} failed: ${error ?? 'the judge gave no answer.'}`] : []),
      ...(saved > 0
        ? [
            `${count(saved, 'pair')} did not have to be asked: no figure depends on ${saved === 1 ? 'it' : 'them'}.`,
          ]
        : []),
      ...(stopped ? ['The budget of your settings was spent first; judging again goes on from here.'] : []),
      ...(settled < queries
        ? [`MRecall and Precision are settled for ${number.format(settled)} of ${queryCount(queries)}.`]
        : []),
    ].join(' '),

  // Pool
  pool: () => 'Is the pool saturated?',
  poolNote: () => 'holes that each pipeline brings to light',
  poolHelp: () =>
    'A hole is a passage in the top k that people’s labels missed and the judge finds to support a perspective. When one more pipeline brings hardly any to light, figures no longer depend on which pipelines were judged.',
  poolFirst: () => 'Measured from what is judged already: no model is asked.',
  measurePool: (again: boolean) => (again ? 'Measure Again' : 'Measure the Pool'),
  poolCounts: (
    { holes, pairs, judgedBefore, judgedAfter }: PoolDatasetView,
    { judge, heuristic }: Pick<PoolReport, 'judge' | 'heuristic'>,
  ) =>
    `${count(holes, 'hole')} by ${heuristic ? words.withHeuristic(judge) : judge}; ${number.format(judgedBefore)} of ${count(pairs, 'pair')} were labelled by people, ${number.format(judgedAfter)} are judged now.`,
  poolMissing: () => 'It has not been measured on this data set.',
  poolCaption: () => 'Hole@k, judged@k and measures of each pipeline before and after its holes were filled.',
  poolSize: () => 'Pipelines in the pool',
  othersInPool: () => 'Other pipelines in the pool',
  poolFailed: () => 'could not be run',
  holes: () => 'Holes found',
  growth: () => 'Growth rate of holes',
  marginal: () => 'Change by judging a pipeline’s own passages',
  holesDescription: (pipelines: number, holes: number) =>
    `Number of holes that pools of 1 to ${number.format(pipelines)} pipelines find, averaged over random orders; all together find ${number.format(holes)}.`,
  growthDescription: (pipelines: number) =>
    `How much the number of holes grows with each further pipeline, up to ${number.format(pipelines)}, averaged over random orders.`,
  marginalDescription: (pipelines: number) =>
    `How much judging a pipeline’s own passages changes its MRecall and Precision when up to ${number.format(pipelines - 1)} others have been judged before, averaged over random orders.`,
  holeAt: (k: number) => `Hole@${k}`,
  holeDefinition: (k: number) => `Holes in the top k, divided by k = ${k}; averaged over queries.`,
  judgedAt: (k: number) => `Judged@${k}`,
  judgedAtDefinition: () => 'Share of the top k with a verdict, before and after the judge answered.',
  poolMeasureDefinition: (measure: string) =>
    `${measure} by people’s labels alone, and with the judge’s answers; below it the rank among the pipelines.`,
  beforeAfter: (before: string, after: string) => `${before} → ${after}`,
  rankChange: (before: number, after: number) =>
    before === after ? `rank ${after}` : `rank ${before} → ${after} ${after < before ? '▲' : '▼'}`,

  // Where coverage is lost
  losses: () => 'Where coverage is lost',
  lossesNote: (perspectives: number) =>
    `${count(perspectives, 'perspective')}, each counted once per pipeline`,
  lossesCaption: () => 'Perspectives per pipeline, by where they are lost.',
  bar: () => 'Shares',
  lossParts: (k: number) => ({
    covered: ['Covered', `A supporting passage is in the top ${k}`],
    belowK: [
      'Below\u00a0k',
      `A supporting passage was retrieved, below rank ${k}: reranking can bring it up`,
    ],
    approximateMiss: [
      'Approximate miss',
      'An exact search would have had a supporting passage among the candidates',
    ],
    notRetrieved: [
      'Not retrieved',
      'A supporting passage is known, but it is not among the candidates: the retriever does not find it',
    ],
    unjudged: ['Unjudged', `Nothing known supports it, and part of the top ${k} is unjudged`],
    notInCorpus: [
      'Not in corpus',
      `Nothing known supports it, as far as judged; all of the top ${k} was judged`,
    ],
  }),
  ofAll: (n: number, all: number) =>
    `${number.format(n)} of ${number.format(all)} (${share.format(n / all)})`,
  count: (n: number) => number.format(n),
  union: () => 'All together',
  unionHint: () =>
    'The top k of all pipelines taken as one set: what no fusion or reranking of them can exceed',
  unionNote: ({ perspectives, queries }: DatasetView['union']) =>
    `cover ${share.format(perspectives)} of the perspectives, and ${share.format(queries)} of the queries whole`,

  lossLead: (n: number, part: string, pipeline: string) =>
    `${part.replaceAll('\u00a0', ' ')}: ${number.format(n)} under ${pipeline}. Show their queries`,

  // Leaning
  leaning: () => 'Leaning',
  leaningNote: (queries: number) => `${count(queries, 'two-sided query', 'two-sided queries')}`,
  leaningCaption: () => 'Share of two-sided queries by the sides that the top k support.',
  leaningParts: () => ({
    onlySupport: ['Only support', 'The top k support only the side that supports the question'],
    both: ['Both', 'The top k support both sides'],
    neither: ['Neither', 'The top k support neither side, as far as judged'],
    onlyOppose: ['Only oppose', 'The top k support only the side that opposes the question'],
  }),
  share: (value: number) => share.format(value),

  // Groups
  groups: () => 'Groups',
  groupsNote: () => 'share of the top k per group of perspectives',
  groupsCaption: () => 'Share of the top k per pipeline and group of perspectives.',

  // Data sets
  inDetail: () => 'In detail:',

  // Charts
  charts: () => 'Charts',
  whichChart: () => 'Which chart',
  chart: (name: ChartName) => CHARTS[name][0],
  chartNote: (name: ChartName) => CHARTS[name][1],
  xAxis: () => 'Across',
  yAxis: () => 'Up',
  eachQuery: () => 'Each query, moved apart a little',
  timeAxis: () => 'Time (ms)',
  asTable: () => 'Figures as a table',
  saveChart: () => 'Save the chart',
  notDrawn: () => 'The chart could not be drawn.',
  unknown: () => 'nothing judged',
  figure: (value: number) => figure.format(value),
  curvesDescription: (pipelines: number, depth: number) =>
    `MRecall@k of ${count(pipelines, 'pipeline')} for k from 1 to ${depth}.`,
  scatterDescription: (pipelines: number, y: string, x: string) =>
    `${y} against ${x}, one point for each of ${count(pipelines, 'pipeline')}.`,
  mapDescription: (pipelines: number, queries: number) =>
    `How much of each of ${queryCount(queries)} the top k of ${count(pipelines, 'pipeline')} cover. The table of queries below gives the same, cell by cell.`,
  mapColumns: () => ['Covered whole', 'In part', 'Not at all', 'Nothing judged'],
  sycophancyForms: () => ({
    question: 'Asked the question',
    support: 'Asked the supporting perspective',
    oppose: 'Asked the opposing perspective',
  }),
  sycophancyDescription: (pipelines: number, queries: number) =>
    `Leaning Δ of the top k of ${count(pipelines, 'pipeline')} on ${count(queries, 'two-sided query', 'two-sided queries')}, asked the question, the supporting and the opposing perspective.`,
  delta: () => 'Δ = (p − n)/p; above 0 the top k lean to the supporting side',
  heatDescription: (pipeline: string) =>
    `Share of each group in the top k of ${pipeline}, for the perspectives of each group.`,
  heatRows: () => 'Asked',
  heatColumns: () => 'Found',
  pRecall: (k: number) => `p-Recall@${k}`,
  rootRecall: (k: number) => `Recall@${k} of the root query`,
  recallAxis: (k: number) => `Recall@${k}`,
  recallDescription: (pipelines: number, groups: readonly string[]) =>
    `p-Recall of ${count(pipelines, 'pipeline')}, with the recall of the root query alone and of each group: ${groups.join(', ')}.`,

  // Rank movement
  movement: () => 'Rank movement',
  movementLink: () => 'movement',
  showMovement: (id: string) => `Show how the passages of ${id} move between the pipelines`,
  closeMovement: () => 'Close the rank movement',
  movementWaiting: () => 'Reading the rankings…',
  nothingRanked: () => 'No pipeline ranked a passage for this query.',
  movementHelp: (depth: number, k: number) =>
    `Every line is a passage that a pipeline ranked among its first ${depth}. Lettered ones support a perspective; the dashed line is the end of the top ${k}.`,
  movementDescription: (pipelines: number, depth: number, supporting: number) =>
    `Ranks of passages under ${count(pipelines, 'pipeline')}, down to rank ${depth}; ${count(supporting, 'passage supports', 'passages support')} a perspective.`,
  passage: () => 'Passage',
  supports: () => 'Supports',
  rank: (rank: number) => `rank ${rank}`,
  rankAxis: () => 'Rank',
  belowDepth: (depth: number) => `not among the first ${depth}`,

  // Queries
  lead: (lead: Lead, baseline: string) =>
    `Only queries ${leadWords(lead)}`.replace('the baseline', () => baseline),
  endLead: () => 'Show all',
  queries: () => 'Queries',
  queriesNote: (shown: number, all: number) =>
    shown === all ? number.format(all) : `${number.format(shown)} of ${number.format(all)}`,
  queriesCaption: () =>
    'For every query and pipeline, the rank at which each perspective is first supported. Arrow keys move between the cells, Enter shows the query in the side panel.',
  query: () => 'Query',
  filters: () => 'Which queries',
  filter: (filter: QueryFilter) => FILTERS[filter][0],
  filterHint: (filter: QueryFilter) => FILTERS[filter][1],
  filterWords: () => 'Find',
  filterWordsPlaceholder: () => 'Words of the query',
  tag: () => 'Tag',
  anyTag: () => 'Any tag',
  order: () => 'Order',
  orders: (): Record<QueryOrder, string> => ({
    disagreement: 'Most disagreement first',
    'eval-set': 'As in the eval set',
  }),
  noQueries: () => 'No query matches.',
  showAllQueries: () => 'Show All',
  showMore: (n: number) => `Show ${n} More`,
  expandQuery: (id: string) => `Show the perspectives of ${id}`,
  collapseQuery: (id: string) => `Hide the perspectives of ${id}`,
  supportUnknown: () => 'no passage is known to support it',
  outcome: (outcome: number | undefined, k: number) =>
    outcome === undefined ? 'nothing judged' : `MRecall@${k} ${outcome}`,
  versus: (versus: Versus) =>
    ({ won: 'won over the baseline', lost: 'lost against the baseline', tied: 'as the baseline' })[versus],
  place: (letter: string, place: Place, rank: number | null) =>
    ({
      covered: `${letter} at rank ${rank}`,
      'below-k': `${letter} first at rank ${rank}, below k`,
      lost: `${letter} nowhere among the candidates`,
      unjudged: `${letter} not found so far, part unjudged`,
    })[place],
  cell: (parts: readonly string[]) => `${parts.join('. ')}. Show in the side panel`,
  cellHint: (parts: readonly string[]) => parts.join('\n'),
  topJudged: (judged: number) => `${percent.format(judged)} of the top k judged`,
  marks: () => ({
    covered: 'within k, with its rank',
    'below-k': 'first below k',
    lost: 'nowhere',
    unjudged: 'not found so far, part unjudged',
  }),
  outcomeMarks: () => ({
    '✓': 'all covered (MRecall 1)',
    '–': 'not all (0)',
    '▲': 'won over the baseline',
    '▼': 'lost against it',
  }),

  // Announcements
  compared: ({ pipelines, datasets }: Comparison) => {
    const failed = pipelines.filter((_, index) =>
      datasets.some((dataset) => dataset.pipelines[index]?.error !== undefined),
    ).length;
    const queries = datasets.reduce((sum, one) => sum + one.queries.length, 0);
    const done = `Compared ${count(pipelines.length - failed, 'pipeline')} on ${queryCount(queries)}.`;
    return failed === 0 ? done : `${done} ${count(failed, 'pipeline')} could not be run.`;
  },
};
