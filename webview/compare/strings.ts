/** Every word that the compare panel shows or says. Functions, so that translations can be put behind them. */
import type { Comparison, MeasureView, PipelineResultView } from '../../src/shared/compare.ts';
import { count, number, percent } from '../components/words.ts';
import type { Place, Versus } from './outcomes.ts';
import type { QueryFilter, QueryOrder } from './query-list.ts';
import type { Direction } from './table-order.ts';

type Difference = NonNullable<MeasureView['difference']>;

const points = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const pValue = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
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
function interval({ low, high }: Difference): string {
  return `[${inPoints(low)}, ${inPoints(high)}]`;
}

function signedPoints(value: number): string {
  return `${value > 0 ? '+' : ''}${inPoints(value)} pts`;
}

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
  ready: (pipelines: number, queries: number | undefined) =>
    `${count(pipelines, 'pipeline')} will answer ${queries === undefined ? 'the questions of the eval set' : `the same ${count(queries, 'query', 'queries')}`}. The first one is the baseline that the others are held against.`,
  noneChosen: () => 'Choose the pipelines to compare.',

  // Head
  setup: () => 'What is compared',
  evalSet: () => 'Eval set',
  chooseEvalSet: () => 'Choose…',
  evalSetChoice: (path: string, queries: number) => `${path} (${count(queries, 'query', 'queries')})`,
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
  stale: () => 'Out of date: the corpus, the judgements or the choices changed after this comparison.',

  // Figures
  overview: () => 'Overview',
  ranOn: ({ queries, k, evalSet, corpus, judge, at }: Comparison) =>
    `${count(queries.length, 'query', 'queries')} of ${evalSet} · corpus ${corpus} · k = ${k} · judge ${judge} · ${moment.format(new Date(at))}`,
  noSources: () => 'Rests on no judgements yet: label passages in the side panel, or choose a judge.',
  exportAs: () => 'Export',
  exportFormats: () => ({ markdown: 'Markdown', csv: 'CSV', json: 'JSON' }),
  overviewCaption: (baseline: string) =>
    `One row per pipeline. Differences are to ${baseline}, in percentage points with their 95% interval.`,
  pipeline: () => 'Pipeline',
  pipelineDefinition: () => 'In the order of comparison; the first is the baseline.',
  measureDefinition: (measure: string) =>
    `${MEASURES[measure.split('@')[0] ?? ''] ?? 'Averaged over queries.'}`,
  wonLostTied: () => 'Won / lost / tied',
  wonLostTiedDefinition: (k: number) =>
    `Queries where MRecall@${k} is 1 and the baseline’s 0, the other way round, and where both are equal. Queries without judgements in the top k are left out.`,
  judged: () => 'Judged',
  judgedDefinition: () =>
    'Share of the top k with a verdict. What is unjudged counts as no support until somebody answers.',
  setSize: () => 'Set size',
  setSizeDefinition: () =>
    'Mean number of passages that it takes to cover all perspectives, over those queries only that the first 100 cover; below it their share.',
  time: () => 'Time',
  timeDefinition: () => 'Mean time per query, and whether dense search was exact or approximate.',
  sortBy: (column: string, next: Direction | undefined) =>
    next === undefined ? `${column}: back to the order of comparison` : `Sort by ${column}, ${next}`,
  value: (value: number) => share.format(value),
  nothingJudged: () => 'nothing judged',
  differenceShown: (difference: Difference) => signedPoints(difference.value),
  noDifference: () => '≈0',
  interval,
  differenceHint: (difference: Difference, clear: boolean) =>
    [
      `${signedPoints(difference.value)}, 95% interval ${interval(difference)}`,
      clear ? undefined : 'the interval includes zero: no difference can be told',
      difference.p === undefined ? undefined : `p = ${pValue.format(difference.p)} (corrected)`,
    ]
      .filter((part) => part !== undefined)
      .join('; '),
  counts: ({ won, lost, tied }: Record<Versus, number>) => `${won} / ${lost} / ${tied}`,
  countsHint: ({ won, lost, tied }: Record<Versus, number>) =>
    `${count(won, 'query', 'queries')} won, ${number.format(lost)} lost, ${number.format(tied)} tied`,
  judgedShare: (judged: number) => whole.format(judged),
  mayBeHoles: () => 'may be holes',
  judgedLow: (judged: number) => `${whole.format(judged)} judged: differences may be holes`,
  lowJudged: (list: string, all: boolean) =>
    `${all ? 'Much of the top k is' : `Much of the top k of ${list} is`} unjudged. Differences may be holes, passages that support a perspective and were never judged, rather than worse retrieval.`,
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
    'To the baseline, on the same queries, in percentage points, with the 95% interval of a paired bootstrap; the bar draws it around zero. ▲ and ▼ stand only where the interval excludes zero. Where it does not, no difference can be told: ≈0.',

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
  unionNote: ({ perspectives, queries }: Comparison['union']) =>
    `cover ${share.format(perspectives)} of the perspectives, and ${share.format(queries)} of the queries whole`,

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

  // Queries
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
  compared: ({ pipelines, queries }: Comparison) => {
    const failed = pipelines.filter(({ error }) => error !== undefined).length;
    const done = `Compared ${count(pipelines.length - failed, 'pipeline')} on ${count(queries.length, 'query', 'queries')}.`;
    return failed === 0 ? done : `${done} ${count(failed, 'pipeline')} could not be run.`;
  },
};
