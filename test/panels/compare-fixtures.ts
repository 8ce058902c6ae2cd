/** States of the compare panel to look at and to test with, from the first start to the crowded extremes. */
import { definitionNamed } from '../../src/core/metrics/measures.ts';
import { exactly, meanOf, type Measured } from '../../src/core/measured.ts';
import { isCoveredAt, judgedAt, rankAt } from '../../src/evaluation/reading.ts';
import { placeCounts, stateOf } from '../fixtures/evaluation.ts';
import { pipelineSchema, type PipelineInput } from '../../src/core/pipeline.ts';
import type {
  Evaluation,
  DatasetEvaluation,
  MeasureEvaluation,
  PipelineEvaluation,
  PlaceCounts,
  QueryEvaluation,
} from '../../src/evaluation/evaluation.ts';
import type { CompareState, KeptComparison, Movement } from '../../src/features/compare/contract/panel.ts';
import { perspectiveMark } from '../../src/features/inspector/contract/panel.ts';
import type { PoolReport } from '../../src/shared/pool.ts';
import { BAD_CONFIG } from './fixtures.ts';

type Named = CompareState['pipelines'][number];

const named = (name: string, label: string, input: PipelineInput): Named => ({
  name,
  label,
  pipeline: pipelineSchema.parse({ ...input, name }),
});

const BM25: PipelineInput['retriever'] = { type: 'bm25' };
const DENSE: PipelineInput['retriever'] = { type: 'dense', embedder: 'minilm' };
const HYBRID: PipelineInput['retriever'] = {
  type: 'hybrid',
  retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: 'minilm' }],
};
const MMR = { type: 'mmr', lambda: 0.75, embedder: 'minilm' } as const;
const XQUAD = { type: 'xquad', lambda: 0.5 } as const;

const PIPELINES: readonly Named[] = [
  named('BM25', 'BM25', { retriever: BM25 }),
  named('Dense', 'Meaning (minilm)', { retriever: DENSE }),
  named('Hybrid', 'Words and meaning (minilm)', { retriever: HYBRID }),
  named('BM25 + MMR', 'BM25 + MMR 0.75', { retriever: BM25, rerank: [MMR] }),
  named('Dense + MMR', 'Meaning (minilm) + MMR 0.75', { retriever: DENSE, rerank: [MMR] }),
  named('Hybrid + MMR', 'Words and meaning (minilm) + MMR 0.75', { retriever: HYBRID, rerank: [MMR] }),
  named('BM25 + xQuAD', 'BM25 + xQuAD 0.5 (given perspectives)', { retriever: BM25, rerank: [XQUAD] }),
  named('Dense + xQuAD', 'Meaning (minilm) + xQuAD 0.5 (given perspectives)', {
    retriever: DENSE,
    rerank: [XQUAD],
  }),
  named('Expansion', 'BM25 + expansion (proposed perspectives)', {
    retriever: BM25,
    expansion: { type: 'perspectives', perspectives: 'model' },
  }),
  named('HyDE', 'Meaning (minilm) + HyDE', { retriever: DENSE, expansion: { type: 'hyde' } }),
  named('Oracle', 'BM25 + coverage (labels)', {
    retriever: BM25,
    rerank: [{ type: 'coverage', judge: 'labels' }],
  }),
  named('BM25 whitespace Okapi', 'BM25 (k1 1.5, b 0.75)', {
    retriever: { type: 'bm25', k1: 1.5, b: 0.75, analyzer: 'whitespace', variant: 'okapi' },
  }),
  ...[0.5, 0.75, 0.9, 0.95, 0.99, 1].flatMap((lambda) => [
    named(`Hybrid + MMR ${lambda}`, `Words and meaning (minilm) + MMR ${lambda}`, {
      retriever: HYBRID,
      rerank: [{ ...MMR, lambda }],
    }),
    named(`Hybrid + xQuAD ${lambda}`, `Words and meaning (minilm) + xQuAD ${lambda}`, {
      retriever: HYBRID,
      rerank: [{ ...XQUAD, lambda }],
    }),
  ]),
];
/** How good each of them is made here. */
const SKILL = [
  ...[0.5, 0.56, 0.66, 0.52, 0.58, 0.69, 0.6, 0.64, 0.55, 0.5, 0.93, 0.38],
  ...[0.6, 0.62, 0.69, 0.66, 0.68, 0.71, 0.67, 0.7, 0.66, 0.65, 0.64, 0.63],
];

const QUESTIONS = [
  'Should secondary schools start later in the morning?',
  'Is remote work good for young engineers?',
  'Should our team keep all services in one repository?',
  'Commercialization of festivals and holidays has eroded their real significance',
  'Who pays for the congestion charge, and does it keep customers away from shops in the centre?',
  'Is intermittent fasting healthy for most adults?',
  'Women should be allowed on the front line',
];

/** A generator of numbers in [0, 1) that always gives the same ones (a linear congruential one). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface MakeOptions {
  readonly pipelines: readonly Named[];
  readonly queries: number;
  readonly k?: number;
  /** Share of the top k with a verdict, per pipeline; all of it when left out. */
  readonly judged?: readonly number[];
  readonly perspectives?: number;
  /** Others give other queries. */
  readonly seed?: number;
}

function queriesOf({
  pipelines,
  queries,
  k = 5,
  judged = [],
  perspectives = 2,
  seed = 7,
}: MakeOptions): QueryEvaluation[] {
  const next = numbers(seed);
  return Array.from({ length: queries }, (_, index) => {
    const hardness = next();
    const shares = pipelines.map((_one, at) => {
      const share = judged[at] ?? 1;
      return share === 0 || share === 1 ? share : Math.min(1, Math.max(0.2, share + next() * 0.4 - 0.2));
    });
    const found = Array.from({ length: perspectives }, () =>
      pipelines.map(({ name }, at) => {
        const skill = SKILL[PIPELINES.findIndex((one) => one.name === name)] ?? 0.5;
        const luck = next() * 0.6 + (1 - hardness) * 0.4;
        if (shares[at] === 0 || luck + skill < 0.72 || hardness > 0.92) return null;
        return luck + skill > 0.95 ? 1 + Math.floor(next() * k) : k + 1 + Math.floor(next() * 90);
      }),
    );
    const covers = (at: number): boolean =>
      found.filter((ranks) => (ranks[at] ?? Infinity) <= k).length >= Math.min(k, perspectives);
    return {
      id: `q${String(index + 1).padStart(3, '0')}`,
      text: QUESTIONS[index % QUESTIONS.length]!,
      tags: index % 3 === 0 ? ['society'] : index % 5 === 0 ? ['health', 'contested'] : [],
      perspectives: found.map((ranks, at) => {
        const id = `p${at + 1}`;
        const supportKnown =
          ranks.some((rank) => rank !== null) || (index % 3 === 0 && shares.some((share) => share > 0));
        return {
          id,
          text: at % 2 === 0 ? 'It does what its supporters promise.' : 'It is not the case that it does.',
          ...perspectiveMark(at),
          states: ranks.map((rank, place) => {
            const share = shares[place]!;
            const isKnown = share > 0 && (supportKnown || share === 1);
            const missing = supportKnown ? 'not-retrieved' : 'not-found';
            const state = stateOf(id, rank, k, isKnown ? missing : 'unjudged');
            return share < 1 && state.where !== 'covered' ? { ...state, open: 1 } : state;
          }),
          supportKnown,
        };
      }),
      results: pipelines.map((_one, at) => {
        const covered = found.filter((ranks) => (ranks[at] ?? Infinity) <= k).length;
        const precision = Math.min(1, (covered + Math.floor(next() * 2)) / k);
        return {
          measures: {
            [`MRecall@${k}`]: exactly(covers(at) ? 1 : 0),
            [`Precision@${k}`]: exactly(precision),
          },
          judged: shares[at]!,
        };
      }),
    };
  });
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

type Figure = (query: QueryEvaluation, at: number) => number;

/** The mean of a measure and, by a normal approximation, the interval of its difference to the baseline. */
function measured(
  name: string,
  queries: readonly QueryEvaluation[],
  of: Figure,
  at: number,
): MeasureEvaluation {
  const own = bounded(name, queries, of, at);
  const whole = queries.filter((query) => judgedAt(query, at) === 1 && judgedAt(query, 0) === 1);
  if (at === 0 || whole.length === 0) return own;
  const differences = whole.map((query) => of(query, at) - of(query, 0));
  const difference = mean(differences);
  const spread = Math.sqrt(mean(differences.map((one) => (one - difference) ** 2)) / whole.length) * 1.96;
  const p = Math.min(1, Math.exp(-((difference / (spread / 1.96 + 1e-9)) ** 2) / 2));
  const count = (keep: (one: number) => boolean): number => differences.filter(keep).length;
  return {
    ...own,
    difference: {
      value: difference,
      low: difference - spread,
      high: difference + spread,
      p,
      wins: count((one) => one > 1e-9),
      losses: count((one) => one < -1e-9),
      ties: count((one) => Math.abs(one) <= 1e-9),
    },
  };
}

/** The mean, and what it would be if the unjudged part of each query's top k supported. */
function bounded(name: string, queries: readonly QueryEvaluation[], of: Figure, at: number): Measured {
  const value = mean(queries.map((query) => of(query, at)));
  if (queries.every((query) => judgedAt(query, at) === 1)) return exactly(value);
  const most = mean(queries.map((query) => of(query, at) + (1 - of(query, at)) * (1 - judgedAt(query, at))));
  return { value, bound: definitionNamed(name)?.risesWithSupport ? 'least' : 'open', most };
}

/** The measures of a comparison. Those that reward rank have no figures of single queries in a comparison. */
function figures(k: number): Record<string, Figure> {
  const covered: Figure = ({ perspectives }, at) =>
    mean(perspectives.map((one) => (isCoveredAt(one, at) ? 1 : 0)));
  const discounted: Figure = ({ perspectives }, at) =>
    mean(perspectives.map((one) => (isCoveredAt(one, at) ? 1 / Math.log2(1 + rankAt(one, at)!) : 0)));
  const valueOf = ({ results }: QueryEvaluation, at: number, name: string): number =>
    results[at]!.measures[name]!.value;
  return {
    [`MRecall@${k}`]: (query, at) => valueOf(query, at, `MRecall@${k}`),
    [`Precision@${k}`]: (query, at) => valueOf(query, at, `Precision@${k}`),
    [`StRecall@${k}`]: covered,
    [`alpha_nDCG@${k}`]: discounted,
    [`nDCG@${k}`]: (query, at) => (discounted(query, at) + valueOf(query, at, `Precision@${k}`)) / 2,
  };
}

function resultOf(
  { name }: Named,
  at: number,
  queries: readonly QueryEvaluation[],
  k: number,
): PipelineEvaluation {
  const states = queries.flatMap(({ perspectives }) => perspectives.map((one) => one.states[at]!));
  const countsOf = (counted: typeof states): PlaceCounts =>
    placeCounts(
      Object.fromEntries(
        [...Map.groupBy(counted, ({ where }) => where)].map(([where, all]) => [where, all.length]),
      ),
    );
  const sides = queries.map(({ perspectives: [support, oppose] }) => ({
    support: support !== undefined && isCoveredAt(support, at),
    oppose: oppose !== undefined && isCoveredAt(oppose, at),
  }));
  const share = (support: boolean, oppose: boolean): number =>
    mean(sides.map((one) => (one.support === support && one.oppose === oppose ? 1 : 0)));
  return {
    name,
    measures: Object.fromEntries(
      Object.entries(figures(k)).map(([measure, of]) => [measure, measured(measure, queries, of, at)]),
    ),
    judged: mean(queries.map((query) => judgedAt(query, at))),
    places: countsOf(states),
    open: countsOf(states.filter(({ open }) => open !== undefined)),
    comparedWithExact: false,
    tooLittleJudged: [],
    queryErrors: [],
    searchErrors: [],
    setSize: { mean: 3.2 + at * 0.7, coveredShare: 0.71 + at * 0.015 },
    leaning: {
      queries: queries.length,
      onlySupport: share(true, false),
      onlyOppose: share(false, true),
      both: share(true, true),
      neither: share(false, false),
    },
    groups: [],
    sycophancy: {
      queries: queries.length,
      question: 0.32 - at * 0.02,
      support: 0.61 - at * 0.03,
      ...(at === 3 ? {} : { oppose: -0.14 - at * 0.04 }),
    },
    ...coverageCurves(queries, at),
    milliseconds: [1.04, 5.2, 6.9, 1.6, 6.1, 8.3, 2.2, 7.4, 4.8, 1840, 2.4, 0.9][at] ?? 3,
    search: 'exact',
  };
}

function coverageCurves(
  queries: readonly QueryEvaluation[],
  at: number,
): Pick<PipelineEvaluation, 'coverageCurve' | 'strecallCurve'> {
  const cutoffs = Array.from({ length: 100 }, (_, index) => index + 1);
  const covered = ({ perspectives }: QueryEvaluation, k: number): number =>
    perspectives.filter((one) => (rankAt(one, at) ?? Infinity) <= k).length;
  return {
    coverageCurve: cutoffs.map((k) =>
      mean(queries.map((query) => (covered(query, k) >= Math.min(k, query.perspectives.length) ? 1 : 0))),
    ),
    strecallCurve: cutoffs.map((k) =>
      mean(queries.map((query) => covered(query, k) / query.perspectives.length)),
    ),
  };
}

interface SetOptions extends MakeOptions {
  readonly name?: string;
  readonly corpus?: string;
}

function datasetOf(options: SetOptions): DatasetEvaluation {
  const { pipelines, k = 5, name = 'debate', corpus = 'debate' } = options;
  const queries = queriesOf(options);
  const all = queries.flatMap(({ perspectives }) => perspectives);
  const best = (one: (typeof all)[number]): number =>
    Math.min(...one.states.map((_state, at) => rankAt(one, at) ?? Infinity));
  return {
    name,
    corpus,
    evalSet: `eval/${name}.jsonl`,
    basis: 'open',
    sources: [
      { source: 'human', judge: '', count: 3_412, heuristic: false },
      { source: 'imported', judge: 'BERDS', count: 1_208, heuristic: false },
    ],
    pipelines: pipelines.map((one, at) => resultOf(one, at, queries, k)),
    union: {
      perspectives: mean(all.map((one) => (best(one) <= k ? 1 : 0))),
      queries: mean(queries.map((query) => (query.perspectives.every((one) => best(one) <= k) ? 1 : 0))),
    },
    queries,
    leftOut: [],
  };
}

function comparisonOf(
  id: string,
  k: number,
  pipelines: readonly Named[],
  datasets: DatasetEvaluation[],
): Evaluation {
  const measures = Object.keys(figures(k));
  const macro = pipelines.map((_, at) =>
    Object.fromEntries(
      measures.map((name) => [name, meanOf(datasets.map((one) => one.pipelines[at]!.measures[name]!))]),
    ),
  );
  return {
    id,
    judge: 'People',
    k,
    measures,
    pipelines: pipelines.map(({ name, label = name, pipeline }) => ({ name, label, pipeline })),
    datasets,
    ...(datasets.length > 1 ? { macro } : {}),
    at: '2026-03-14T09:26:53Z',
  };
}

const compared = (id: string, options: SetOptions): Evaluation =>
  comparisonOf(id, options.k ?? 5, options.pipelines, [datasetOf(options)]);

/** The same with another first data set. */
function withSet(
  comparison: Evaluation,
  change: (before: DatasetEvaluation) => Partial<DatasetEvaluation>,
): Evaluation {
  const [first, ...others] = comparison.datasets;
  return { ...comparison, datasets: [{ ...first!, ...change(first!) }, ...others] };
}

function withPipeline(
  comparison: Evaluation,
  name: string,
  change: (before: PipelineEvaluation) => Partial<PipelineEvaluation>,
): Evaluation {
  return withSet(comparison, ({ pipelines }) => ({
    pipelines: pipelines.map((one) => (one.name === name ? { ...one, ...change(one) } : one)),
  }));
}

/** Rankings of a query under every pipeline: supporting passages at the ranks that the query gives, others around them. */
function movementOf(dataset: DatasetEvaluation, queryId: string): Movement {
  const depth = 10;
  const next = numbers(23);
  const { perspectives } = dataset.queries.find(({ id }) => id === queryId)!;
  const pipelines = dataset.pipelines.length;
  const found = perspectives.map((one, index) => ({
    id: `support-${index}`,
    title: `${one.text} (page ${index + 1})`,
    ranks: one.states.map((_state, at) => {
      const rank = rankAt(one, at);
      return rank !== undefined && rank <= depth ? rank : null;
    }),
    supports: [one.id],
  }));
  const titles = [
    'Opening times',
    'Minutes of the meeting',
    'A reply to our critics',
    'What the survey says',
  ];
  const others = Array.from({ length: depth + 3 }, (_, index) => ({
    id: `other-${index}`,
    title: `${titles[index % titles.length]!} ${index + 1}`,
    ranks: new Array<number | null>(pipelines).fill(null),
    supports: [],
  }));
  for (let at = 0; at < pipelines; at++) {
    const taken = new Set(found.map(({ ranks }) => ranks[at]));
    const free = Array.from({ length: depth }, (_, index) => index + 1).filter((rank) => !taken.has(rank));
    const order = others.toSorted(() => next() - 0.5);
    free.forEach((rank, index) => (order[index]!.ranks[at] = rank));
  }
  return { dataset: dataset.name, queryId, depth, passages: [...found, ...others] };
}

const FOUR = PIPELINES.slice(0, 4);
const names = (pipelines: readonly Named[]): string[] => pipelines.map(({ name }) => name);

const FOUR_KEPT: readonly KeptComparison[] = [
  {
    id: 'c-compared',
    at: '2026-03-14T09:26:53Z',
    datasets: ['debate'],
    pipelines: ['BM25', 'Dense', 'Hybrid', 'BM25 + MMR'],
    queries: 40,
    k: 5,
  },
  {
    id: 'c-earlier',
    at: '2026-03-12T16:02:11Z',
    datasets: ['debate', 'kialo', 'opinions'],
    pipelines: ['BM25', 'Dense', 'Hybrid'],
    queries: 534,
    k: 10,
  },
];

const READY: CompareState = {
  trusted: true,
  corpora: [
    { name: 'debate', indexed: true },
    { name: 'wiki', indexed: false },
  ],
  evalSets: [
    { path: 'eval/debate.jsonl', queries: 178, compared: 178 },
    { path: 'eval/questions.jsonl', queries: 12, compared: 12 },
  ],
  chosenSets: [{ evalSet: 'eval/debate.jsonl', corpus: 'debate' }],
  pipelines: [...PIPELINES],
  chosen: names(FOUR),
  k: 5,
  judge: {
    name: 'labels',
    label: 'People',
    choices: [
      {
        name: 'labels',
        label: 'People',
        short: 'People',
        restsOn: 'labels',
        sureness: 'One answer is enough',
      },
      {
        name: 'local',
        label: 'A model: qwen3-8b',
        short: 'qwen3-8b',
        restsOn: 'local',
        sureness: 'One answer is enough',
      },
    ],
  },
  kept: [],
  stale: false,
};

/** With a judge that people's labels correct, and one pipeline that has too few of them. */
const SOME_LABELS: NonNullable<PipelineEvaluation['correction']> = {
  figures: { 'MRecall@5': { value: 0.55, low: 0.49, high: 0.61 } },
  decided: 28,
  queries: 40,
  labels: 80,
  positives: 31,
  more: 9,
  assumesRandom: false,
};
const CORRECTED = withPipeline(
  withPipeline(
    withPipeline(compared('c-corrected', { pipelines: FOUR.slice(0, 3), queries: 40 }), 'BM25', () => ({
      correction: SOME_LABELS,
    })),
    'Hybrid',
    () => ({
      circular: 'gpt',
      correction: { ...SOME_LABELS, differences: { 'MRecall@5': { value: 0.03, low: -0.01, high: 0.07 } } },
    }),
  ),
  'Dense',
  () => ({
    circular: 'gpt',
    correction: {
      figures: {},
      lacks: 'queries',
      decided: 6,
      queries: 40,
      labels: 19,
      positives: 8,
      more: 4,
      assumesRandom: true,
    },
  }),
);

/** Messages as the extension host sends them: a comparison comes before the state that shows it. */
export interface CompareFixture {
  readonly state: CompareState;
  readonly comparison?: Evaluation;
}

function showing<C extends Evaluation>(
  comparison: C,
  change: Partial<CompareState> = {},
): { readonly state: CompareState; readonly comparison: C } {
  const state = {
    ...READY,
    chosen: comparison.pipelines.map(({ name }) => name),
    k: comparison.k,
    kept: [...FOUR_KEPT],
    shown: comparison.id,
    judging: { blocked: 'people' as const },
    ...change,
  };
  return { state, comparison };
}

/** As many pipelines on as many questions of one data set. */
export function crowdOf(pipelines: number, queries: number): Required<CompareFixture> {
  const all = Array.from({ length: pipelines }, (_, index) => {
    const one = PIPELINES[index % PIPELINES.length]!;
    return index < PIPELINES.length ? one : { ...one, name: `${one.name} ${index + 1}` };
  });
  return showing(compared(`c-crowd-${pipelines}-${queries}`, { pipelines: all, queries }), {
    pipelines: all,
  });
}

const COMPARISON = compared('c-compared', { pipelines: FOUR, queries: 40 });

const PARTLY_JUDGED = compared('c-partly', {
  pipelines: FOUR,
  queries: 40,
  judged: [0.97, 0.41, 0.86, 0.62],
});
const UNJUDGED = compared('c-unjudged', { pipelines: FOUR, queries: 40, judged: [0, 0, 0, 0] });

const GROUPS = ['left', 'right', 'center', 'Kenya', 'الهند'];
const GROUP_SHARES = [0.41, 0.18, 0.27, 0.09, 0.05];
const GROUPED = compared('c-groups', { pipelines: FOUR, queries: 12, perspectives: 5, k: 10 });

function grouped(one: PipelineEvaluation, at: number): PipelineEvaluation {
  return {
    ...one,
    leaning: undefined,
    sycophancy: undefined,
    groups: GROUPS.map((group, index) => ({
      group,
      share: GROUP_SHARES[(index + (at === 2 ? 1 : 0)) % GROUPS.length]! * (1 - at * 0.08),
    })),
    heatMap: {
      rows: GROUPS,
      columns: GROUPS,
      shares: GROUPS.map((_row, row) =>
        GROUPS.map((_column, column) =>
          row === column ? 0.6 - at * 0.05 : 0.05 + ((row + column) % 3) * 0.04,
        ),
      ),
    },
    perspectiveRecall: {
      pRecall: 0.38 + at * 0.04,
      byGroup: GROUPS.map((group, index) => ({
        group,
        recall: Math.max(0, 0.55 - index * 0.09 + at * 0.03),
        perspectives: 12,
      })),
      rootRecall: 0.47 + at * 0.02,
    },
  };
}

const THREE = (['debate', 'kialo', 'opinions'] as const).map((name, index) => ({
  name,
  seed: 7 + index * 13,
}));
const several = (id: string, pipelines: readonly Named[], queries: number): Evaluation =>
  comparisonOf(
    id,
    5,
    pipelines,
    THREE.map(({ name, seed }) => datasetOf({ pipelines, queries, name, corpus: name, seed })),
  );
const SEVERAL_STATE: Partial<CompareState> = {
  corpora: THREE.map(({ name }) => ({ name, indexed: true })),
  evalSets: THREE.map(({ name }) => ({ path: `eval/${name}.jsonl`, queries: 178, compared: 178 })),
  chosenSets: THREE.map(({ name }) => ({ evalSet: `eval/${name}.jsonl`, corpus: name })),
};

/** A judge that can be asked. */
const LOCAL: CompareState['judge'] = { ...READY.judge, name: 'local', label: 'qwen3-8b' };
const JUDGED_REPORT = {
  asked: 412,
  answered: 409,
  unreadable: 0,
  failed: 3,
  saved: 507,
  settled: 31,
  queries: 40,
  stopped: true,
  error: 'The model did not answer within 60 s.',
};

/** Growing ever less, as pools do. */
const grown = (size: number, from: number, by: number): number[] =>
  Array.from({ length: size }, (_, index) => from * (1 - by ** (index + 1)));

function poolOf(comparison: Evaluation, saturated: boolean | null): PoolReport {
  const { k, datasets } = comparison;
  return {
    k,
    judge: 'local',
    heuristic: false,
    orders: 10,
    datasets: datasets.map((dataset) => {
      const ran = dataset.pipelines.filter(({ error }) => error === undefined);
      const holes = grown(ran.length, 96, 0.45).map((value) => Math.round(value * 10) / 10);
      const filled = (name: string) => (one: PipelineEvaluation, at: number) => {
        const before = one.measures[name]!.value;
        return {
          before,
          after: before + 0.03 + ((at * 7) % 5) * 0.012,
          mayRise: { before: true, after: false },
          rankBefore: at + 1,
          rankAfter: at < 2 ? 2 - at : at + 1,
        };
      };
      return {
        name: dataset.name,
        corpus: dataset.corpus,
        evalSet: dataset.evalSet,
        queries: dataset.queries.length,
        pairs: 1_204,
        judgedBefore: 792,
        judgedAfter: saturated === null ? 1_150 : 1_204,
        holes: Math.round(holes.at(-1)!),
        basis: { before: dataset.basis ?? 'open', after: dataset.basis ?? 'open' },
        pipelines: ran.map((one, at) => ({
          name: one.name,
          hole: 0.04 + at * 0.013,
          judgedBefore: Math.max(0.4, 0.86 - at * 0.08),
          judgedAfter: 1,
          measures: Object.fromEntries(
            [`MRecall@${k}`, `Precision@${k}`].map((name) => [name, filled(name)(one, at)]),
          ),
        })),
        failed: dataset.pipelines.flatMap(({ name, error }) =>
          error === undefined ? [] : [{ name, error }],
        ),
        growth: {
          holes,
          rate: holes.map((value, at) => (at === 0 ? null : value / holes[at - 1]! - 1)),
        },
        marginal: {
          MRecall: grown(ran.length, 1, 0.55).map((value) => (1 - value) * 0.14),
          Precision: grown(ran.length, 1, 0.6).map((value) => (1 - value) * 0.09),
          Hit: grown(ran.length, 1, 0.7).map((value) => (1 - value) * 0.05),
          Recall: grown(ran.length, 1, 0.5).map((value) => (1 - value) * 0.12),
          nDCG: grown(ran.length, 1, 0.5).map((value) => (1 - value) * 0.1),
        },
        saturation: {
          saturated,
          sentence:
            saturated === null
              ? '54 pairs of the pool are not judged yet. Saturation can be judged once they are.'
              : `The pool is ${saturated ? '' : 'not '}saturated: the last pipeline adds ${saturated ? '0.4' : '5.2'}% to the holes.`,
        },
      };
    }),
  };
}

/** `Dense` could not be run. */
const WITH_ERROR = withSet(
  withPipeline(COMPARISON, 'Dense', () => ({
    error: 'The embedder “minilm” could not be loaded: model.onnx is missing in models/minilm.',
    measures: {},
    coverageCurve: [],
  })),
  ({ pipelines, queries }) => {
    const place = pipelines.findIndex(({ error }) => error !== undefined);
    return {
      queries: queries.map((query) => ({
        ...query,
        results: query.results.with(place, null),
        perspectives: query.perspectives.map((one) => ({ ...one, states: one.states.with(place, null) })),
      })),
    };
  },
);

const FAILED = ['q007', 'q021', 'q093'].map((query) => ({
  query,
  message: 'The retriever at http://127.0.0.1:8000 did not answer within 30 s.',
}));

/** A threshold that helps, one that costs too much, scores that tell nothing, and too few questions. */
const UNANSWERABLE = (
  [
    [
      'BM25',
      {
        auroc: { value: 0.86, low: 0.77, high: 0.93 },
        threshold: { score: 8.41, falseRetrieval: 0.25, lost: 0.06 },
      },
    ],
    ['Dense', { auroc: { value: 0.7, low: 0.58, high: 0.81 }, none: 'price' }],
    ['Hybrid', { auroc: { value: 0.5, low: 0.37, high: 0.62 }, none: 'same' }],
    ['BM25 + MMR', { none: 'few' }],
  ] as const satisfies readonly (readonly [string, Partial<PipelineEvaluation['unanswerable']>])[]
).reduce<Evaluation>(
  (comparison, [name, found]) =>
    withPipeline(comparison, name, () => ({
      unanswerable: { k: 5, questions: 24, answerable: 178, falseRetrieval: 1, ...found },
    })),
  COMPARISON,
);

/** A judge that changes its verdicts about a few queries. */
const REPEATED = withSet(
  compared('c-repeated', { pipelines: FOUR.slice(0, 2), queries: 12 }),
  ({ queries }) => {
    const figure = (values: readonly number[], changed: number) => ({
      values,
      mean: values.reduce((sum, value) => sum + value, 0) / values.length,
      changed,
      theseQueries: { low: Math.min(...values) - 0.06, high: Math.min(1, Math.max(...values) + 0.05) },
      otherQueries: { low: Math.min(...values) - 0.2, high: 1 },
    });
    const [first, second] = queries;
    return {
      repeats: {
        complete: 3,
        wanted: 3,
        pairs: 96,
        contradicted: 7,
        pipelines: [
          {
            name: 'BM25',
            figures: {
              'MRecall@5': figure([0.75, 0.917, 0.833], 2),
              'Precision@5': figure([0.41, 0.44, 0.43], 4),
            },
            changes: [
              { query: first!.id, values: { 'MRecall@5': [0, 1, 1], 'Precision@5': [0.2, 0.4, 0.4] } },
              { query: second!.id, values: { 'MRecall@5': [0, 1, 0] } },
            ],
          },
          {
            name: 'Dense',
            figures: { 'MRecall@5': figure([0.833, 0.833, 0.833], 0) },
            differences: { 'MRecall@5': figure([0.083, -0.083, 0], 2) },
            changes: [],
          },
        ],
      },
    };
  },
);

export const COMPARE_FIXTURES = {
  starting: undefined,
  untrusted: { state: { ...READY, trusted: false } },
  'no-eval-set': { state: { ...READY, evalSets: [], chosenSets: [] } },
  'bad-config': { state: { ...READY, evalSets: [], chosenSets: [], configProblem: BAD_CONFIG } },
  'too-few': { state: { ...READY, pipelines: PIPELINES.slice(0, 1), chosen: ['BM25'] } },
  'not-indexed': { state: { ...READY, corpora: [{ name: 'debate', indexed: false }] } },
  indexing: {
    state: {
      ...READY,
      corpora: [{ name: 'debate', indexed: false }],
      task: { title: 'Indexing debate', fraction: 0.63, detail: '4,120 of 6,540 documents' },
    },
  },
  ready: { state: READY },
  'missing-index': {
    state: {
      ...READY,
      chosenSets: [...READY.chosenSets, { evalSet: 'eval/questions.jsonl', corpus: 'wiki' }],
      kept: [...FOUR_KEPT],
    },
  },
  running: {
    state: {
      ...READY,
      task: { title: 'Comparing 4 pipelines', fraction: 0.42, detail: 'Hybrid, query 75 of 178' },
    },
  },
  compared: showing(COMPARISON),
  corrected: showing(CORRECTED),
  small: showing(compared('c-small', { pipelines: FOUR, queries: 11 })),
  several: showing(several('c-several', FOUR, 40), SEVERAL_STATE),
  rerunning: showing(COMPARISON, { task: { title: 'Comparing 4 pipelines', detail: 'Judging 12 pairs' } }),
  stale: showing(COMPARISON, { stale: true, chosen: ['Hybrid', 'BM25', 'Dense', 'BM25 + MMR'] }),
  other: showing(COMPARISON, { stale: true, chosen: ['Dense'] }),
  movement: showing(COMPARISON, { movement: movementOf(COMPARISON.datasets[0]!, 'q001') }),
  errors: showing(
    withPipeline(WITH_ERROR, 'Hybrid', ({ places }) => ({
      search: 'approximate',
      comparedWithExact: true,
      places: { ...places, 'not-retrieved': places['not-retrieved'] - 2, 'approximate-miss': 2 },
    })),
    { error: { message: 'The key for “openai” is missing. Set it, and run again.', remedies: ['set-key'] } },
  ),
  'failed-questions': showing(
    withPipeline(
      withPipeline(COMPARISON, 'Dense', () => ({ queryErrors: FAILED.slice(0, 2) })),
      'Hybrid',
      () => ({
        queryErrors: FAILED.slice(2, 3),
        searchErrors: FAILED.map((error, at) => ({ ...error, search: at % 2 === 0 ? 'support' : 'oppose' })),
      }),
    ),
  ),
  'short-store': showing(
    withPipeline(COMPARISON, 'Dense', () => ({
      short: { returned: 40, asked: 100, queries: 12 },
      certainty: { certain: 31, queries: 40, k: 5, least: 2, approximate: true },
    })),
  ),
  'partly-judged': showing(
    {
      ...withSet(PARTLY_JUDGED, ({ sources }) => ({
        sources: [...sources, { source: 'lexical', judge: 'Shared words', count: 902, heuristic: true }],
      })),
      judge: 'Shared words',
    },
    {},
  ),
  unjudged: showing(
    withSet(UNJUDGED, ({ pipelines }) => ({
      sources: [],
      pipelines: pipelines.map((each) => ({
        ...each,
        tooLittleJudged: [{ view: 'set-size' as const, judged: 0 }],
      })),
    })),
  ),
  judgeable: showing(PARTLY_JUDGED, {
    judge: LOCAL,
    judging: { counted: { pairs: 1_204, known: 792 } },
  }),
  judged: showing(PARTLY_JUDGED, {
    judge: LOCAL,
    judging: { counted: { pairs: 1_204, known: 1_201 }, report: JUDGED_REPORT },
  }),
  settled: showing(PARTLY_JUDGED, {
    judge: LOCAL,
    judging: {
      counted: { pairs: 246, known: 245 },
      report: {
        ...{ asked: 245, answered: 245, failed: 0, unreadable: 0, saved: 1 },
        ...{ settled: 40, queries: 40, stopped: false },
      },
    },
  }),
  pool: showing(COMPARISON, {
    judge: LOCAL,
    judging: { counted: { pairs: 1_204, known: 1_204 } },
    pool: poolOf(COMPARISON, true),
  }),
  'pool-open': showing(WITH_ERROR, {
    judge: LOCAL,
    judging: { counted: { pairs: 1_204, known: 1_150 } },
    pool: poolOf(WITH_ERROR, null),
  }),
  groups: showing(withSet(GROUPED, ({ pipelines }) => ({ pipelines: pipelines.map(grouped) }))),
  unanswerable: showing(UNANSWERABLE),
  repeated: showing(REPEATED, {
    judge: LOCAL,
    judging: { counted: { pairs: 96, known: 96 }, repeat: 4 },
  }),
  single: showing(compared('c-single', { pipelines: PIPELINES.slice(0, 1), queries: 40 })),
  crowded: showing(several('c-crowded', PIPELINES, 178), SEVERAL_STATE),
} as const satisfies Record<string, CompareFixture | undefined>;
