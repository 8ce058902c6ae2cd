/** States of the history panel to look at and to test with. */
import type { EvaluationSummary, SummaryRow } from '../../src/shared/evaluation.ts';
import type { ComparedRuns, HistoryState } from '../../src/features/history/contract/panel.ts';
import { BAD_CONFIG } from './fixtures.ts';

export interface HistoryFixture {
  readonly state: HistoryState;
  readonly runs?: readonly EvaluationSummary[];
}

const DAY = 86_400_000;
const BEGUN = Date.UTC(2026, 9, 1, 9, 30);
const SET = { dataset: 'questions', evalSet: 'eval/questions.parallax.jsonl' };
const QUERIES = 178;

type Change = NonNullable<SummaryRow['since']>['changes'][number];

interface Step {
  readonly changes: readonly Change[];
  /** By how much every figure moves. */
  readonly by: number;
  readonly judge?: string;
  readonly passages?: number;
  readonly accepted?: boolean;
  readonly outcome?: EvaluationSummary['outcome'];
}

/** A quarter of the life of a corpus. */
const STEPS: readonly Step[] = [
  { changes: [], by: 0, accepted: true },
  { changes: [], by: 0 },
  { changes: ['corpus'], by: 0.012, passages: 12_480 },
  { changes: ['pipeline'], by: 0.061 },
  { changes: ['judgements'], by: -0.008 },
  { changes: ['judgements'], by: -0.031, judge: 'gpt-judge' },
  { changes: ['corpus', 'pipeline'], by: 0.02, passages: 12_913, accepted: true },
  { changes: ['eval set'], by: -0.006 },
  { changes: ['pipeline'], by: -0.094, outcome: 'missed' },
  { changes: ['pipeline'], by: 0.094 },
];

const METRICS = {
  'MRecall@5': 0.58,
  'Precision@5': 0.41,
  'StRecall@5': 0.66,
  'alpha_nDCG@5': 0.52,
  'nDCG@5': 0.49,
  'Judged@5': 0.9,
};

/** Newest first. */
function runsOf(steps: readonly Step[], pipelines: readonly string[], dataset = SET): EvaluationSummary[] {
  const runs: EvaluationSummary[] = [];
  let level = 0;
  let [judge, passages] = ['labels', 12_204];
  for (const [place, step] of steps.entries()) {
    level += step.by;
    const before = runs.at(-1);
    const earlier = judge;
    judge = step.judge ?? judge;
    passages = step.passages ?? passages;
    const at = new Date(BEGUN + place * 2.3 * DAY).toISOString();
    const rows = pipelines.map((pipeline, index): SummaryRow => {
      const figures = Object.fromEntries(
        Object.entries(METRICS).map(([metric, start]) => {
          const value = Math.min(1, start + level - index * 0.07);
          return [metric, { value, low: value - 0.06, high: Math.min(1, value + 0.06) }];
        }),
      );
      const { by } = step;
      const difference = { difference: by, low: by - 0.03, high: by + 0.03, p: by === 0 ? 1 : 0.03 };
      return {
        ...dataset,
        pipeline,
        queries: QUERIES,
        figures,
        corpus: `f${place}`,
        passages,
        pairs: 2044,
        judged: index === 0 || place > 3 ? 1846 : 1204,
        ...(before
          ? {
              since: {
                id: before.id,
                at: before.at,
                changes: [...step.changes],
                ...(earlier === judge ? {} : { judge: earlier }),
                differences: Object.fromEntries(Object.keys(METRICS).map((metric) => [metric, difference])),
              },
            }
          : {}),
      };
    });
    runs.push({
      id: `run-${place}`,
      at,
      k: 5,
      judge,
      outcome: step.outcome ?? 'passed',
      commit: (0x2f0c7a91 + place * 0x01a3_57b1).toString(16).padEnd(40, 'c'),
      accepted: step.accepted ?? false,
      rows,
    });
  }
  return runs.reverse();
}

const RUNS = runsOf(STEPS, ['bm25', 'hybrid']);
const MANY = runsOf(
  Array.from({ length: 120 }, (_, place): Step => {
    const by = Math.sin(place / 5) * 0.012;
    return { changes: place % 9 === 4 ? ['corpus'] : place % 13 === 6 ? ['pipeline'] : [], by };
  }),
  ['bm25', 'hybrid', 'hybrid + mmr with a long name'],
);
const SECOND = { dataset: 'policies', evalSet: 'eval/policies.parallax.jsonl' };
const TWO_SETS = RUNS.map((run, place) => ({
  ...run,
  rows: [...run.rows, ...runsOf(STEPS, ['bm25'], SECOND)[place]!.rows],
}));

const STATE: HistoryState = {
  trusted: true,
  demands: { k: 5, evalSets: [SET.evalSet], pipelines: ['bm25', 'hybrid'] },
  revision: 1,
};

const DIFFERENCES = [
  ['MRecall@5', 0.633, 0.539, -0.094, -0.152, -0.037, 0.0012, 9, 26],
  ['Precision@5', 0.463, 0.441, -0.022, -0.049, 0.004, 0.098, 31, 40],
  ['StRecall@5', 0.713, 0.713, 0, 0, 0, 1, 0, 0],
] as const;

const COMPARED: ComparedRuns = {
  then: 'run-7',
  now: 'run-8',
  comparison: {
    notes: ['Only now: "hybrid + mmr" on "questions".'],
    comparisons: ['bm25', 'hybrid'].map((pipeline) => ({
      dataset: 'questions',
      pipeline,
      queries: QUERIES,
      configuration:
        pipeline === 'bm25'
          ? [
              { field: 'retriever.k1', then: '0.9', now: '0' },
              { field: 'retriever.analyzer', then: '"english"', now: '"whitespace"' },
              { field: 'rerank.0.lambda', then: '0.75' },
            ]
          : [],
      differences: DIFFERENCES.map(([metric, then, now, difference, low, high, p, wins, losses]) => ({
        metric,
        then,
        now,
        difference,
        low,
        high,
        p,
        wins,
        losses,
        ties: QUERIES - wins - losses,
        mayRise: { then: metric === 'MRecall@5', now: false },
        attribution: { changes: ['pipeline', 'corpus'] as const, noise: low <= 0 && high >= 0 },
      })),
      changed: [
        {
          id: 'school-start',
          metrics: { 'MRecall@5': [1, 0] as const, 'Precision@5': [0.6, 0.2] as const },
          gained: [],
          lost: ['sleep', 'parents'],
        },
        {
          id: 'daylight',
          metrics: { 'MRecall@5': [0, 1] as const },
          gained: ['evenings'],
          lost: [],
        },
        { id: 'gone', metrics: { 'Precision@5': [0.4, 0.6] as const }, gained: [], lost: [] },
      ],
    })),
  },
  questions: {
    questions: {
      'school-start': {
        text: 'Should schools start later in the morning, so that teenagers get as much sleep as they need?',
        perspectives: {
          sleep: 'Teenagers get more sleep.',
          parents: 'It upsets the mornings of working parents.',
        },
      },
      daylight: {
        text: 'Should daylight saving time be abolished?',
        perspectives: { evenings: 'Bright evenings draw people outdoors.' },
      },
    },
  },
};

const FAILED = ['q007', 'q021'].map((query) => ({
  query,
  message: 'The retriever at http://127.0.0.1:8000 did not answer within 30 s.',
}));

const CORRECTION: NonNullable<SummaryRow['correction']> = {
  figures: { 'MRecall@5': { value: 0.55, low: 0.49, high: 0.61 } },
  decided: 28,
  queries: QUERIES,
  labels: 80,
  positives: 31,
  more: 60,
  assumesRandom: false,
};

export const HISTORY_FIXTURES = {
  starting: undefined,
  reading: { state: { ...STATE, revision: 0 } },
  untrusted: { state: { ...STATE, trusted: false, revision: 0 } },
  'no-eval-set': { state: { ...STATE, demands: { ...STATE.demands, evalSets: [] } }, runs: [] },
  'bad-config': {
    state: { ...STATE, demands: { ...STATE.demands, evalSets: [] }, configProblem: BAD_CONFIG },
    runs: [],
  },
  empty: { state: STATE, runs: [] },
  evaluating: {
    state: {
      ...STATE,
      task: { title: 'Evaluating the workspace', fraction: 0.4, detail: 'bm25, query 71 of 178' },
    },
    runs: [],
  },
  one: { state: STATE, runs: RUNS.slice(-1) },
  runs: { state: STATE, runs: RUNS },
  'failed-questions': {
    state: STATE,
    runs: RUNS.map((run, place) => ({
      ...run,
      rows: run.rows.map((row) =>
        place === 1 && row.pipeline === 'hybrid' ? { ...row, queryErrors: FAILED } : row,
      ),
    })),
  },
  doubted: {
    state: STATE,
    runs: RUNS.map((run, place) => ({
      ...run,
      rows: run.rows.map((row) =>
        place > 0
          ? row
          : row.pipeline === 'bm25'
            ? { ...row, correction: CORRECTION }
            : { ...row, circular: 'gpt-judge' },
      ),
    })),
  },
  'two-sets': { state: STATE, runs: TWO_SETS },
  many: {
    state: {
      ...STATE,
      demands: { ...STATE.demands, pipelines: ['bm25', 'hybrid', 'hybrid + mmr with a long name'] },
    },
    runs: MANY,
  },
  compared: { state: { ...STATE, compared: COMPARED }, runs: RUNS },
  failed: {
    state: {
      ...STATE,
      error: {
        message: 'The endpoint https://models.example.org/v1 did not answer in time.',
        remedies: ['show-log'],
      },
    },
    runs: RUNS,
  },
} as const satisfies Record<string, HistoryFixture | undefined>;
