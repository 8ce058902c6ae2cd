/** The report of a gate as plain JSON. Every output is derived from it, and `--format json` prints it. */
import * as z from 'zod';
import { unanswerableSchema } from '../../../core/analysis/unanswerable.ts';
import { placeSchema } from '../../../core/coverage-states.ts';
import { correctionSchema } from '../../../core/metrics/correction.ts';
import { repeatsSchema } from '../../../core/metrics/repeats.ts';
import { measuredSchema } from '../../../core/measured.ts';
import type { Read } from '../../../core/read.ts';
import { pipelineSchema } from '../../../core/pipeline.ts';
import { baselineDatasetSchema, judgementSummarySchema } from './baseline.ts';

const metrics = z.record(z.string(), z.number());

/** What differs from when the baseline was accepted. */
const changeSchema = z.enum(['eval set', 'corpus', 'pipeline', 'judgements']);
export type Change = Read<typeof changeSchema>;

export const attributionSchema = z.object({
  changes: z.array(changeSchema),
  /** Whether the 95% interval of the difference includes 0. */
  noise: z.boolean(),
  /**
   * The parts of the difference that come from today's judgements of the baseline's rankings, and from different
   * rankings. They add up to the difference. `undefined` if the corpus changed, as the baseline's rankings cannot be
   * judged then, and for measures of the whole ranking, which baselines do not store.
   */
  parts: z.object({ judgements: z.number(), retrieval: z.number() }).optional(),
});
export type Attribution = Read<typeof attributionSchema>;

/** A paired difference over the shared queries. */
export const pairedFields = {
  difference: z.number(),
  /** 95% interval of a paired bootstrap. */
  low: z.number(),
  high: z.number(),
  /**
   * p-value of a paired randomisation test, Holm-corrected over all comparisons of the gate. `undefined` if a ranking
   * is circular, as nothing is tested then, and for a difference without the judge's errors.
   */
  p: z.number().optional(),
  wins: z.number().int(),
  losses: z.number().int(),
  ties: z.number().int(),
};

/** Now − baseline. */
const baselineDifferenceSchema = z.object({
  /** `undefined` if today's value is not exact, as the difference is unknown then. */
  paired: z.object(pairedFields).optional(),
  /** The baseline's figure. */
  value: z.number(),
  queries: z.number().int(),
  alpha: z.number(),
  tolerance: z.number(),
  attribution: attributionSchema,
  /** The difference as counted, if difference and interval are without the judge's errors. */
  counted: z.number().optional(),
});
export type BaselineDifference = Read<typeof baselineDifferenceSchema>;

const checkSchema = z.object({
  kind: z.enum(['threshold', 'judged', 'baseline', 'perspectives', 'documents', 'unanswerable']),
  dataset: z.string(),
  pipeline: z.string(),
  metric: z.string(),
  tag: z.string().optional(),
  /** `undecided`: the judgements do not decide it, see `reason`. Never treated as `passed`. */
  outcome: z.enum(['passed', 'missed', 'undecided']),
  /** Mean over `queries` queries, its bound, and its value if all unjudged passages supported. */
  ...measuredSchema.shape,
  queries: z.number().int(),
  /** The threshold for `value`. Only for thresholds. */
  min: z.number().optional(),
  /** The most that `value` may be. Only for questions without an answer. */
  max: z.number().optional(),
  /** The figure as counted and the 95% interval of `value`, if `value` is without the judge's errors. */
  corrected: z.object({ counted: z.number(), low: z.number(), high: z.number() }).optional(),
  baseline: baselineDifferenceSchema.optional(),
  /**
   * For `perspectives`: how many perspectives the baseline covered and the top k do not, and how many are allowed. The
   * check's value is the share of the baseline's covered perspectives that are still covered. For `documents`: expected
   * documents that are not within reach.
   */
  lost: z
    .object({
      count: z.number().int(),
      most: z.number().int(),
      /** How many more may be lost, as passages of the top k are unjudged for them. `undefined` if there are none. */
      unjudged: z.number().int().optional(),
    })
    .optional(),
  reason: z.string(),
  /** Queries because of which it was missed, whatever the unjudged passages are. Empty unless missed. */
  failing: z.array(z.string()),
  /**
   * For a check that did not pass: queries whose outcome depends on unjudged passages. `undefined` if there are none.
   */
  open: z.array(z.string()).optional(),
});
export type GateCheck = Read<typeof checkSchema>;
export type CheckOutcome = GateCheck['outcome'];

const lostSchema = z.object({
  perspective: z.string(),
  text: z.string(),
  where: placeSchema,
  reason: z.string(),
  /**
   * Whether the baseline covered it for the same query, all of the top k are judged for it, and it is not quarantined.
   */
  newly: z.boolean(),
  /** Set if the baseline covered it and repeated runs of the judge do not confirm the loss, see `reason`. */
  quarantined: z.literal(true).optional(),
  /**
   * The number of passages in the top k that are unjudged for it, if the baseline covered it. Whether it is lost is
   * then unknown.
   */
  unjudged: z.number().int().optional(),
});
export type LostView = Read<typeof lostSchema>;

/** A perspective that the top k cover and the baseline's did not, for the same query. */
const wonSchema = z.object({ perspective: z.string(), text: z.string() });
export type WonView = Read<typeof wonSchema>;

/** A retrieved passage with its text. */
const shownPassageSchema = z.object({
  id: z.string(),
  /** Display name: file and section. */
  name: z.string(),
  text: z.string(),
});
export type ShownPassage = Read<typeof shownPassageSchema>;

const queryReportSchema = z.object({
  id: z.string(),
  text: z.string(),
  /** Hash of its text and perspectives. */
  digest: z.string(),
  /** Its line in the eval set, from 1. */
  line: z.number().int().optional(),
  metrics,
  lost: z.array(lostSchema),
  /** `undefined` if there are none, and in reports of older builds. */
  won: z.array(wonSchema).optional(),
  /** Unjudged pairs of a passage in the top k and a perspective. They count as not supporting. */
  unjudged: z.number().int(),
  /** Passage ids, best first, up to the largest cutoff of the measures. */
  ranked: z.array(z.string()),
  /** Indices of the report's checks that are missed because of it. */
  missed: z.array(z.number().int()),
  /** Indices of the report's checks whose outcome depends on its unjudged passages. `undefined` if there are none. */
  open: z.array(z.number().int()).optional(),
  /** Set if its top k cover no perspective and have unjudged passages for each one, so that nothing is known. */
  unknown: z.literal(true).optional(),
  /**
   * The number of demands on it: checks whose mean includes it, and the baseline's perspectives if the baseline has the
   * same query. 0 if nothing could fail it.
   */
  demands: z.number().int(),
  /** A sentence on why it is not compared with the baseline. `undefined` if it is compared, and without a baseline. */
  uncompared: z.string().optional(),
  /**
   * Passages of the top k that appeared, disappeared or moved since the baseline: ranks `[then, now]`. Set only if
   * something is missed or newly lost.
   */
  moved: z.array(z.object({ item: z.string(), ranks: z.array(z.number().int().nullable()) })).optional(),
  /** The top k with their texts, best first. Set only on request. */
  passages: z.array(shownPassageSchema).optional(),
  /** The duration of its search. `undefined` if the search failed, and in reports of older builds. */
  milliseconds: z.number().optional(),
});
export type QueryReport = Read<typeof queryReportSchema>;

const pipelineReportSchema = z.object({
  name: z.string(),
  pipeline: pipelineSchema,
  models: z.unknown(),
  metrics,
  /** Those of `metrics` that are not exact. `undefined` if all are. */
  bounds: z.record(z.string(), measuredSchema).optional(),
  queries: z.array(queryReportSchema),
  /** Queries that failed, each with a sentence on the reason. `undefined` if there are none. */
  queryErrors: z.array(z.object({ query: z.string(), message: z.string() })).optional(),
  /**
   * The judge that both made the ranking and scores it, so that figures do not prove a gain. `undefined` if there is
   * none.
   */
  circular: z.string().optional(),
  /** Retrieval for questions without an answer. `undefined` if the eval set has none. */
  unanswerable: unanswerableSchema.optional(),
  /** Figures without the judge's errors. `undefined` if no judge counts or there are no labels. */
  correction: correctionSchema.optional(),
});

export type PipelineReport = Read<typeof pipelineReportSchema>;

const datasetReportSchema = z.object({
  name: z.string(),
  /** Path relative to parallax.json. */
  evalSet: z.string(),
  /** Path for links, relative to where the gate was run. */
  file: z.string(),
  corpus: baselineDatasetSchema.shape.corpus,
  queries: z.number().int(),
  judgements: judgementSummarySchema,
  /**
   * Sentences on what could not be read or run, or was in the baseline and is gone. With a gap, the figures are about
   * something else and nothing passes. `undefined` if there are none.
   */
  gaps: z.array(z.string()).optional(),
  /** What the judge changes by itself. `undefined` if everything was judged once. */
  repeats: repeatsSchema.optional(),
  pipelines: z.array(pipelineReportSchema),
});

export type DatasetReport = Read<typeof datasetReportSchema>;

export const gateReportSchema = z.object({
  version: z.literal(1),
  /** `undecided`: nothing is missed, but a check is undecided. `not-evaluated`: the evaluation failed or has gaps. */
  outcome: z.enum(['passed', 'missed', 'undecided', 'not-evaluated']),
  /** ISO 8601. */
  at: z.string(),
  commit: z.string().optional(),
  k: z.number().int(),
  judge: z.string(),
  baseline: z.object({ file: z.string(), at: z.string(), commit: z.string().optional() }).optional(),
  checks: z.array(checkSchema),
  datasets: z.array(datasetReportSchema),
  /** Sentences on the limits of the figures. */
  notes: z.array(z.string()),
  /** Requests to models beyond cached answers. `undefined` if unknown. */
  asked: z.object({ requests: z.number().int(), tokens: z.number().int() }).optional(),
  /** A sentence on why nothing could be evaluated. */
  error: z.string().optional(),
});

export type GateReport = Read<typeof gateReportSchema>;

/** 0: all passed. 1: something was missed. 3: the evaluation is incomplete, or something is undecided. */
export function exitCodeOf({ outcome }: Pick<GateReport, 'outcome'>): 0 | 1 | 3 {
  return { passed: 0, missed: 1, undecided: 3, 'not-evaluated': 3 }[outcome] as 0 | 1 | 3;
}

/** The report of a gate that failed before it could check anything. */
export function failedReport(
  error: string,
  facts: Pick<GateReport, 'at' | 'commit' | 'k' | 'judge'>,
): GateReport {
  return { version: 1, outcome: 'not-evaluated', ...facts, checks: [], datasets: [], notes: [], error };
}

/** Sentences on gaps, each with the name of its data set. */
export function gapsOf({ datasets }: Pick<GateReport, 'datasets'>): string[] {
  return datasets.flatMap(({ name, gaps = [] }) => gaps.map((gap) => `${name}: ${gap}`));
}

/** A query with its pipeline and data set. */
export interface PlacedQuery {
  readonly dataset: DatasetReport;
  readonly pipeline: PipelineReport;
  readonly query: QueryReport;
}

/** All queries of a report, under every pipeline. */
export function queriesIn({ datasets }: Pick<GateReport, 'datasets'>): PlacedQuery[] {
  return datasets.flatMap((dataset) =>
    dataset.pipelines.flatMap((pipeline) => pipeline.queries.map((query) => ({ dataset, pipeline, query }))),
  );
}

/** Queries because of which something was missed, with pipeline and data set. */
export function failedQueries(report: GateReport): PlacedQuery[] {
  return queriesIn(report).filter(({ query }) => query.missed.length > 0);
}
