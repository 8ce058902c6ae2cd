/** States of the compare panel to look at and to test with, from the first start to the crowded extremes. */
import { pipelineSchema, type PipelineInput } from '../../src/core/pipeline.ts';
import type {
  CompareState,
  Comparison,
  MeasureView,
  PipelineResultView,
  QueryResultView,
} from '../../src/shared/compare.ts';
import { perspectiveMark } from '../../src/shared/inspector.ts';

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
  named('Dense', 'Dense (minilm)', { retriever: DENSE }),
  named('Hybrid', 'Hybrid (BM25 + Dense (minilm))', { retriever: HYBRID }),
  named('BM25 + MMR', 'BM25 + MMR 0.75', { retriever: BM25, rerank: [MMR] }),
  named('Dense + MMR', 'Dense (minilm) + MMR 0.75', { retriever: DENSE, rerank: [MMR] }),
  named('Hybrid + MMR', 'Hybrid (BM25 + Dense (minilm)) + MMR 0.75', { retriever: HYBRID, rerank: [MMR] }),
  named('BM25 + xQuAD', 'BM25 + xQuAD 0.5 (given perspectives)', { retriever: BM25, rerank: [XQUAD] }),
  named('Dense + xQuAD', 'Dense (minilm) + xQuAD 0.5 (given perspectives)', {
    retriever: DENSE,
    rerank: [XQUAD],
  }),
  named('Expansion', 'BM25 + expansion (proposed perspectives)', {
    retriever: BM25,
    expansion: { type: 'perspectives', perspectives: 'model' },
  }),
  named('HyDE', 'Dense (minilm) + HyDE', { retriever: DENSE, expansion: { type: 'hyde' } }),
  named('Oracle', 'BM25 + coverage (labels)', {
    retriever: BM25,
    rerank: [{ type: 'coverage', judge: 'labels' }],
  }),
  named('BM25 whitespace Okapi', 'BM25 (k1 1.5, b 0.75)', {
    retriever: { type: 'bm25', k1: 1.5, b: 0.75, analyzer: 'whitespace', variant: 'okapi' },
  }),
];
/** How good each of them is made here. */
const SKILL = [0.5, 0.56, 0.66, 0.52, 0.58, 0.69, 0.6, 0.64, 0.55, 0.5, 0.93, 0.38];

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
}

function queriesOf({
  pipelines,
  queries,
  k = 5,
  judged = [],
  perspectives = 2,
}: MakeOptions): QueryResultView[] {
  const next = numbers(7);
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
      perspectives: found.map((ranks, at) => ({
        id: `p${at + 1}`,
        text: at % 2 === 0 ? 'It does what its supporters promise.' : 'It is not the case that it does.',
        ...perspectiveMark(at),
        ranks,
        supportKnown:
          ranks.some((rank) => rank !== null) || (index % 3 === 0 && shares.some((share) => share > 0)),
      })),
      mrecall: pipelines.map((_one, at) => (covers(at) ? 1 : 0)),
      precision: pipelines.map((_one, at) => {
        const covered = found.filter((ranks) => (ranks[at] ?? Infinity) <= k).length;
        return Math.min(1, (covered + Math.floor(next() * 2)) / k);
      }),
      judged: shares,
    };
  });
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of a measure and, by a normal approximation, the interval of its difference to the baseline. */
function measured(queries: readonly QueryResultView[], of: 'mrecall' | 'precision', at: number): MeasureView {
  const value = mean(queries.map((query) => query[of][at]!));
  if (at === 0) return { value };
  const differences = queries.map((query) => query[of][at]! - query[of][0]!);
  const difference = mean(differences);
  const spread = Math.sqrt(mean(differences.map((one) => (one - difference) ** 2)) / queries.length) * 1.96;
  const p = Math.min(1, Math.exp(-((difference / (spread / 1.96 + 1e-9)) ** 2) / 2));
  return { value, difference: { value: difference, low: difference - spread, high: difference + spread, p } };
}

function resultOf(
  { name, label = name, pipeline }: Named,
  at: number,
  queries: readonly QueryResultView[],
  k: number,
): PipelineResultView {
  const ranks = queries.flatMap(({ perspectives, judged }) =>
    perspectives.map((one) => ({
      rank: one.ranks[at] ?? null,
      known: one.supportKnown,
      judged: judged[at]!,
    })),
  );
  const count = (keep: (one: (typeof ranks)[number]) => boolean): number => ranks.filter(keep).length;
  const lost = (one: (typeof ranks)[number]): boolean => one.rank === null;
  const sides = queries.map(({ perspectives: [support, oppose] }) => ({
    support: (support?.ranks[at] ?? Infinity) <= k,
    oppose: (oppose?.ranks[at] ?? Infinity) <= k,
  }));
  const share = (support: boolean, oppose: boolean): number =>
    mean(sides.map((one) => (one.support === support && one.oppose === oppose ? 1 : 0)));
  return {
    name,
    label,
    pipeline,
    measures: {
      [`MRecall@${k}`]: measured(queries, 'mrecall', at),
      [`Precision@${k}`]: measured(queries, 'precision', at),
    },
    judged: mean(queries.map(({ judged }) => judged[at]!)),
    losses: {
      covered: count(({ rank }) => rank !== null && rank <= k),
      belowK: count(({ rank }) => rank !== null && rank > k),
      notRetrieved: count((one) => lost(one) && one.known === true && one.judged > 0),
      unjudged: count((one) => lost(one) && (one.judged === 0 || (one.known === false && one.judged < 1))),
      notInCorpus: count((one) => lost(one) && one.known === false && one.judged === 1),
    },
    setSize: { mean: 3.2 + at * 0.7, coveredShare: 0.71 + at * 0.015 },
    leaning: {
      queries: queries.length,
      onlySupport: share(true, false),
      onlyOppose: share(false, true),
      both: share(true, true),
      neither: share(false, false),
    },
    groups: [],
    milliseconds: [1.04, 5.2, 6.9, 1.6, 6.1, 8.3, 2.2, 7.4, 4.8, 1840, 2.4, 0.9][at] ?? 3,
    search: 'exact',
  };
}

function compared(options: MakeOptions): Comparison {
  const { pipelines, k = 5 } = options;
  const queries = queriesOf(options);
  const all = queries.flatMap(({ perspectives }) => perspectives);
  const best = ({ ranks }: (typeof all)[number]): number =>
    Math.min(...ranks.map((rank) => rank ?? Infinity));
  return {
    evalSet: 'eval/debate.jsonl',
    corpus: 'debate',
    judge: 'Human labels',
    sources: [
      { source: 'human', judge: '', count: 3_412, heuristic: false },
      { source: 'imported', judge: 'BERDS', count: 1_208, heuristic: false },
    ],
    k,
    measures: [`MRecall@${k}`, `Precision@${k}`],
    pipelines: pipelines.map((one, at) => resultOf(one, at, queries, k)),
    union: {
      perspectives: mean(all.map((one) => (best(one) <= k ? 1 : 0))),
      queries: mean(queries.map((query) => (query.perspectives.every((one) => best(one) <= k) ? 1 : 0))),
    },
    queries,
    at: '2026-03-14T09:26:53Z',
  };
}

function withPipeline(
  comparison: Comparison,
  name: string,
  change: (before: PipelineResultView) => Partial<PipelineResultView>,
): Comparison {
  const pipelines = comparison.pipelines.map((one) => (one.name === name ? { ...one, ...change(one) } : one));
  return { ...comparison, pipelines };
}

const FOUR = PIPELINES.slice(0, 4);
const names = (pipelines: readonly Named[]): string[] => pipelines.map(({ name }) => name);

const READY: CompareState = {
  trusted: true,
  indexed: true,
  corpus: 'debate',
  evalSets: [
    { path: 'eval/debate.jsonl', queries: 178 },
    { path: 'eval/questions.jsonl', queries: 12 },
  ],
  evalSet: 'eval/debate.jsonl',
  pipelines: [...PIPELINES],
  chosen: names(FOUR),
  k: 5,
  judge: {
    name: 'labels',
    label: 'Human labels',
    heuristic: false,
    choices: [
      { name: 'labels', label: 'Human labels', heuristic: false },
      { name: 'lexical', label: 'Shared words', heuristic: true },
      { name: 'local', label: 'qwen3-8b', heuristic: false },
    ],
  },
  stale: false,
};

const COMPARISON = compared({ pipelines: FOUR, queries: 40 });
const COMPARED = { ...READY, comparison: COMPARISON } satisfies CompareState;

const PARTLY_JUDGED = compared({ pipelines: FOUR, queries: 40, judged: [0.97, 0.41, 0.86, 0.62] });
const UNJUDGED = compared({ pipelines: FOUR, queries: 40, judged: [0, 0, 0, 0] });

const GROUPS = ['left', 'right', 'center', 'Kenya', 'الهند'];
const GROUP_SHARES = [0.41, 0.18, 0.27, 0.09, 0.05];
const GROUPED = compared({ pipelines: FOUR, queries: 12, perspectives: 5, k: 10 });

const CROWDED = compared({ pipelines: PIPELINES, queries: 178 });

export const COMPARE_FIXTURES = {
  starting: undefined,
  untrusted: { ...READY, trusted: false },
  'no-eval-set': { ...READY, evalSets: [], evalSet: undefined },
  'too-few': { ...READY, pipelines: PIPELINES.slice(0, 1), chosen: ['BM25'] },
  'not-indexed': { ...READY, indexed: false },
  indexing: {
    ...READY,
    indexed: false,
    task: { title: 'Indexing debate', fraction: 0.63, detail: '4,120 of 6,540 documents' },
  },
  ready: READY,
  running: {
    ...READY,
    task: { title: 'Comparing 4 pipelines', fraction: 0.42, detail: 'Hybrid, query 75 of 178' },
  },
  compared: COMPARED,
  rerunning: { ...COMPARED, task: { title: 'Comparing 4 pipelines', detail: 'Judging 12 pairs' } },
  stale: { ...COMPARED, stale: true, chosen: ['Hybrid', 'BM25', 'Dense'] },
  errors: {
    ...COMPARED,
    error: 'The key for “openai” is missing. Set it, and run again.',
    comparison: withPipeline(
      withPipeline(COMPARISON, 'Dense', () => ({
        error: 'The embedder “minilm” could not be loaded: model.onnx is missing in models/minilm.',
        measures: {},
      })),
      'Hybrid',
      ({ losses }) => ({
        search: 'approximate',
        losses: { ...losses, notRetrieved: losses.notRetrieved - 2, approximateMiss: 2 },
      }),
    ),
  },
  'partly-judged': {
    ...COMPARED,
    judge: { ...READY.judge, name: 'lexical', label: 'Shared words', heuristic: true },
    comparison: {
      ...PARTLY_JUDGED,
      judge: 'Shared words',
      sources: [
        ...PARTLY_JUDGED.sources,
        { source: 'lexical', judge: 'Shared words', count: 902, heuristic: true },
      ],
    },
  },
  unjudged: { ...COMPARED, comparison: { ...UNJUDGED, sources: [] } },
  groups: {
    ...COMPARED,
    k: 10,
    comparison: {
      ...GROUPED,
      pipelines: GROUPED.pipelines.map((one, at) => ({
        ...one,
        leaning: undefined,
        groups: GROUPS.map((group, index) => ({
          group,
          share: GROUP_SHARES[(index + (at === 2 ? 1 : 0)) % GROUPS.length]! * (1 - at * 0.08),
        })),
      })),
    },
  },
  single: {
    ...COMPARED,
    chosen: ['BM25'],
    comparison: compared({ pipelines: PIPELINES.slice(0, 1), queries: 40 }),
  },
  crowded: { ...COMPARED, chosen: names(PIPELINES), comparison: CROWDED },
} as const satisfies Record<string, CompareState | undefined>;
export type CompareFixtureName = keyof typeof COMPARE_FIXTURES;
