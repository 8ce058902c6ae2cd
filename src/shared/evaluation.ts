/** Evaluations of eval sets as they cross process borders: the gate's report, the history, and what no query reaches. */
import * as z from 'zod';
import { lossPlaceSchema } from '../core/analysis/loss-place.ts';
import type { Unreached } from '../core/analysis/unreached.ts';
import { baselineDatasetSchema, judgementSummarySchema } from '../core/gate/baseline.ts';
import type { GateReport } from '../core/gate/report.ts';
import { baselineSpecSchema, gateSchema, type GateSpec } from '../core/gate/spec.ts';
import { BUILT_IN_PIPELINES, pipelineSchema } from '../core/pipeline.ts';
import type { EntryComparison } from '../core/history/compare-entries.ts';
import type { ParallaxConfig } from './config.ts';
import { countingJudgeName } from './judge-types.ts';
import { queryErrorsSchema } from './query-errors.ts';

export { evaluationSummarySchema, type EvaluationSummary, type SummaryRow } from '../core/history/summary.ts';

/** Counts in the editor where parallax.json names no baseline, as soon as it is there. */
export const DEFAULT_BASELINE = '.parallax/baselines/main.json';

/**
 * The gate that the editor evaluates: that of parallax.json, or else the default pipeline, which is the first one, at
 * its own k and without checks.
 */
export function gateOf({ gate, pipelines }: Pick<ParallaxConfig, 'gate' | 'pipelines'>): GateSpec {
  if (gate) return gate;
  const [name, pipeline] = Object.entries(pipelines)[0] ?? ['bm25', BUILT_IN_PIPELINES.bm25];
  return gateSchema.parse({ pipelines: [name], k: pipeline.k });
}

/** Whose judgements count beside human labels in a gate: nobody's in the place of a judge that guesses. */
export function gateJudge({ judge }: GateSpec, config: Pick<ParallaxConfig, 'judge' | 'judges'>): string {
  return countingJudgeName(judge ?? config.judge ?? 'labels', config.judges);
}

/** With a baseline to compare with, where parallax.json names none. */
export function withDefaultBaseline(spec: GateSpec): GateSpec {
  return spec.baseline ? spec : { ...spec, baseline: baselineSpecSchema.parse({ file: DEFAULT_BASELINE }) };
}

const metrics = z.record(z.string(), z.number());
const changeSchema = z.enum(['eval set', 'corpus', 'pipeline', 'judgements']);
const attributionSchema = z.object({
  changes: z.array(changeSchema),
  noise: z.boolean(),
  parts: z.object({ judgements: z.number(), retrieval: z.number() }).optional(),
});

const pairedFields = {
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  /** Absent where one of the two rankings was made by the judge that scored it. */
  p: z.number().optional(),
  wins: z.number().int(),
  losses: z.number().int(),
  ties: z.number().int(),
};

const checkSchema = z.object({
  kind: z.enum(['threshold', 'judged', 'baseline', 'perspectives']),
  dataset: z.string(),
  pipeline: z.string(),
  metric: z.string(),
  tag: z.string().optional(),
  outcome: z.enum(['passed', 'missed', 'unknown']),
  value: z.number(),
  queries: z.number().int(),
  min: z.number().optional(),
  corrected: z.object({ counted: z.number(), low: z.number(), high: z.number() }).optional(),
  baseline: z
    .object({
      ...pairedFields,
      value: z.number(),
      queries: z.number().int(),
      alpha: z.number(),
      tolerance: z.number(),
      attribution: attributionSchema,
      counted: z.number().optional(),
    })
    .optional(),
  lost: z.object({ count: z.number().int(), most: z.number().int() }).optional(),
  reason: z.string(),
  failing: z.array(z.string()),
});

const queryReportSchema = z.object({
  id: z.string(),
  text: z.string(),
  digest: z.string(),
  line: z.number().int().optional(),
  metrics,
  lost: z.array(
    z.object({
      perspective: z.string(),
      text: z.string(),
      where: lossPlaceSchema,
      reason: z.string(),
      newly: z.boolean(),
      quarantined: z.literal(true).optional(),
    }),
  ),
  won: z.array(z.object({ perspective: z.string(), text: z.string() })).optional(),
  unjudged: z.number().int(),
  ranked: z.array(z.string()),
  missed: z.array(z.number().int()),
  demands: z.number().int(),
  moved: z.array(z.object({ item: z.string(), ranks: z.array(z.number().int().nullable()) })).optional(),
});

export const gateReportSchema: z.ZodType<GateReport> = z.object({
  version: z.literal(1),
  outcome: z.enum(['passed', 'missed', 'not-evaluated']),
  at: z.string(),
  commit: z.string().optional(),
  k: z.number().int(),
  judge: z.string(),
  baseline: z.object({ file: z.string(), at: z.string(), commit: z.string().optional() }).optional(),
  checks: z.array(checkSchema),
  datasets: z.array(
    z.object({
      name: z.string(),
      evalSet: z.string(),
      file: z.string(),
      corpus: baselineDatasetSchema.shape.corpus,
      queries: z.number().int(),
      judgements: judgementSummarySchema,
      pipelines: z.array(
        z.object({
          name: z.string(),
          pipeline: pipelineSchema,
          models: z.json(),
          metrics,
          queries: z.array(queryReportSchema),
          queryErrors: queryErrorsSchema.optional(),
        }),
      ),
    }),
  ),
  notes: z.array(z.string()),
  asked: z.object({ requests: z.number().int(), tokens: z.number().int() }).optional(),
  error: z.string().optional(),
});

export const entryComparisonSchema: z.ZodType<EntryComparison> = z.object({
  comparisons: z.array(
    z.object({
      dataset: z.string(),
      pipeline: z.string(),
      queries: z.number().int(),
      configuration: z.array(
        z.object({ field: z.string(), then: z.string().optional(), now: z.string().optional() }),
      ),
      differences: z.array(
        z.object({
          ...pairedFields,
          metric: z.string(),
          // Means over the shared queries.
          then: z.number(),
          now: z.number(),
          attribution: attributionSchema,
        }),
      ),
      changed: z.array(
        z.object({
          id: z.string(),
          metrics: z.record(z.string(), z.tuple([z.number(), z.number()])),
          gained: z.array(z.string()),
          lost: z.array(z.string()),
        }),
      ),
    }),
  ),
  notes: z.array(z.string()),
});

/** Documents that no query reaches, as far as the corpus answers the queries at all. */
export interface UnreachedReport extends Unreached {
  /** The corpus has no pages that were found for them: they were not asked. */
  readonly leftOut: readonly { readonly id: string; readonly text: string }[];
}

export const unreachedSchema: z.ZodType<UnreachedReport> = z.object({
  documents: z.number().int(),
  reachedDocuments: z.number().int(),
  passages: z.number().int(),
  reachedPassages: z.number().int(),
  folders: z.array(z.object({ folder: z.string(), documents: z.number().int(), reached: z.number().int() })),
  unreached: z.array(z.object({ path: z.string(), documents: z.number().int(), passages: z.number().int() })),
  leftOut: z.array(z.object({ id: z.string(), text: z.string() })),
});
