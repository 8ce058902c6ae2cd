/**
 * What the compare panel and the extension host say to each other. As with the side panel, the host sends
 * the newest whole {@link CompareState}; the panel keeps only what the user is doing.
 */
import * as z from 'zod';
import { pipelineSchema } from '../core/pipeline.ts';

const named = z.object({
  name: z.string(),
  pipeline: pipelineSchema,
  /** What it does, in a few words; shown where the name is all that there is room for. */
  label: z.string().optional(),
});

/** A mean over queries. Differences are to the baseline pipeline, on the same queries. */
const measureView = z.object({
  value: z.number(),
  /** Absent for the baseline itself. */
  difference: z
    .object({
      value: z.number(),
      /** 95% interval of a paired bootstrap over queries. */
      low: z.number(),
      high: z.number(),
      /** Of a paired randomisation test, corrected for the number of comparisons. */
      p: z.number().min(0).max(1).optional(),
    })
    .optional(),
});

/** Where perspectives are lost, summed over queries: each perspective of each query counts once. */
const lossView = z.object({
  covered: z.number().int(),
  /** A supporting passage was retrieved, below k. */
  belowK: z.number().int(),
  /** An exact search would have had a supporting passage among the candidates; absent where search was exact. */
  approximateMiss: z.number().int().optional(),
  /** A supporting passage is known, but is not among the candidates. */
  notRetrieved: z.number().int(),
  /** Nothing known supports it, and part of the top k is unjudged. */
  unjudged: z.number().int(),
  /** Nothing known supports it, and all of the top k was judged. */
  notInCorpus: z.number().int(),
});

/** Two-sided queries only: shares of top-k sets, adding up to 1 (BERDS, Figure 2). */
const leaningView = z.object({
  queries: z.number().int(),
  onlySupport: z.number(),
  onlyOppose: z.number(),
  both: z.number(),
  neither: z.number(),
});

const setSizeView = z.object({
  /** Mean number of passages needed to cover all perspectives, over the queries that the first 100 cover. */
  mean: z.number().optional(),
  /** Share of queries whose perspectives the first 100 cover (BERDS, Table 17). */
  coveredShare: z.number(),
});

const pipelineResult = z.object({
  name: z.string(),
  label: z.string(),
  pipeline: pipelineSchema,
  /** By measure name, e.g. `MRecall@5`. */
  measures: z.record(z.string(), measureView),
  /** Share of the top k that has a verdict for the query. */
  judged: z.number(),
  losses: lossView,
  setSize: setSizeView,
  leaning: leaningView.optional(),
  /** Share of the top k per perspective group, where perspectives have groups (PIR, Table 10). */
  groups: z.array(z.object({ group: z.string(), share: z.number() })),
  /** Mean time per query. */
  milliseconds: z.number(),
  search: z.enum(['exact', 'approximate']),
  /** It could not be run: why, as a sentence. Its figures are then empty. */
  error: z.string().optional(),
});

/** One query under every pipeline, in the order of `pipelines`. */
const queryResult = z.object({
  id: z.string(),
  text: z.string(),
  tags: z.array(z.string()),
  perspectives: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      letter: z.string(),
      color: z.number().int().min(0).max(7),
      /** Per pipeline: the rank of the first supporting passage among the candidates; absent where there is none. */
      ranks: z.array(z.number().int().nullable()),
      /** Whether any passage of the corpus is known to support it; absent where the host does not say. */
      supportKnown: z.boolean().optional(),
    }),
  ),
  /** Per pipeline. */
  mrecall: z.array(z.number()),
  precision: z.array(z.number()),
  judged: z.array(z.number()),
});

export const comparisonSchema = z.object({
  evalSet: z.string(),
  corpus: z.string(),
  judge: z.string(),
  /** Whose judgements the figures rest on, e.g. "human", and how many pairs each. */
  sources: z.array(
    z.object({ source: z.string(), judge: z.string(), count: z.number().int(), heuristic: z.boolean() }),
  ),
  k: z.number().int(),
  measures: z.array(z.string()),
  pipelines: z.array(pipelineResult),
  /** Share of perspectives that the union of all pipelines' top k covers, and of queries it covers whole (BERDS, Table 6). */
  union: z.object({ perspectives: z.number(), queries: z.number() }),
  queries: z.array(queryResult),
  /** ISO 8601. */
  at: z.string(),
});
export type Comparison = z.output<typeof comparisonSchema>;
export type PipelineResultView = Comparison['pipelines'][number];
export type QueryResultView = Comparison['queries'][number];
export type MeasureView = z.output<typeof measureView>;
export type LossView = z.output<typeof lossView>;
export type LeaningView = z.output<typeof leaningView>;

export const compareStateSchema = z.object({
  trusted: z.boolean(),
  /** The chosen corpus is indexed. */
  indexed: z.boolean(),
  corpus: z.string(),
  evalSets: z.array(z.object({ path: z.string(), queries: z.number().int() })),
  evalSet: z.string().optional(),
  /** Every pipeline that can be chosen, and which are; the first chosen one is the baseline. */
  pipelines: z.array(named),
  chosen: z.array(z.string()),
  k: z.number().int(),
  judge: z.object({
    name: z.string(),
    label: z.string(),
    heuristic: z.boolean(),
    choices: z.array(z.object({ name: z.string(), label: z.string(), heuristic: z.boolean() })),
  }),
  task: z
    .object({
      title: z.string(),
      fraction: z.number().min(0).max(1).optional(),
      detail: z.string().optional(),
    })
    .optional(),
  comparison: comparisonSchema.optional(),
  /** Corpus, judgements or choices changed since. */
  stale: z.boolean(),
  error: z.string().optional(),
});
export type CompareState = z.output<typeof compareStateSchema>;

/** Host → panel. */
export const toCompareSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: compareStateSchema }),
]);
export type ToCompare = z.output<typeof toCompareSchema>;

/** Panel → host. */
export const fromCompareSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('run') }),
  z.object({ type: z.literal('cancel') }),
  /** Index the chosen corpus. */
  z.object({ type: z.literal('index') }),
  /** Open parallax.json, made first where there is none. */
  z.object({ type: z.literal('open-config') }),
  z.object({ type: z.literal('manage-trust') }),
  z.object({ type: z.literal('set-eval-set'), path: z.string() }),
  /** In the order in which they are compared. */
  z.object({ type: z.literal('set-pipelines'), names: z.array(z.string()).max(24) }),
  z.object({ type: z.literal('set-k'), k: z.number().int().min(1).max(1000) }),
  z.object({ type: z.literal('set-judge'), name: z.string() }),
  /** Show this query under this pipeline in the side panel. */
  z.object({ type: z.literal('inspect'), queryId: z.string(), pipeline: z.string() }),
  /** Save the comparison to a file that the user names. */
  z.object({ type: z.literal('export'), format: z.enum(['json', 'markdown', 'csv']) }),
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromCompare = z.output<typeof fromCompareSchema>;
