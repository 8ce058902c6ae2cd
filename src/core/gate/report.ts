/** The report of a gate as plain JSON: every output is written from this, and `--format json` prints it. */
import * as z from 'zod';
import { placeSchema } from '../coverage-states.ts';
import { correctionSchema } from '../metrics/correction.ts';
import { measuredSchema } from '../measured.ts';
import type { Read } from '../read.ts';
import { pipelineSchema } from '../pipeline.ts';
import { baselineDatasetSchema, judgementSummarySchema } from './baseline.ts';

const metrics = z.record(z.string(), z.number());

/** The parts that differ from when the baseline was accepted. */
const changeSchema = z.enum(['eval set', 'corpus', 'pipeline', 'judgements']);
export type Change = Read<typeof changeSchema>;

export const attributionSchema = z.object({
  changes: z.array(changeSchema),
  /** The 95% interval of the difference includes 0. */
  noise: z.boolean(),
  /**
   * How much of the difference comes from judging the baseline's own rankings as of today, and how much from
   * ranking differently; they add up. Absent where the corpus changed, because then its rankings can no longer
   * be judged, and for measures of the whole ranking, which a baseline does not keep.
   */
  parts: z.object({ judgements: z.number(), retrieval: z.number() }).optional(),
});
export type Attribution = Read<typeof attributionSchema>;

/** A paired difference, over the queries that both have. */
export const pairedFields = {
  difference: z.number(),
  /** 95% interval of a paired bootstrap. */
  low: z.number(),
  high: z.number(),
  /**
   * Of a paired randomisation test, Holm-corrected over all comparisons of the gate. Absent where a ranking of the two is
   * circular, since nothing is tested then, and of a difference without the judge's errors.
   */
  p: z.number().optional(),
  wins: z.number().int(),
  losses: z.number().int(),
  ties: z.number().int(),
};

/** Now − baseline. */
const baselineDifferenceSchema = z.object({
  /** Absent if the value now is not exact: then no difference is known. */
  paired: z.object(pairedFields).optional(),
  /** The figure of the baseline. */
  value: z.number(),
  queries: z.number().int(),
  alpha: z.number(),
  tolerance: z.number(),
  attribution: attributionSchema,
  /** Where the difference and its interval are without the judge's errors: the difference as counted. */
  counted: z.number().optional(),
});
export type BaselineDifference = Read<typeof baselineDifferenceSchema>;

const checkSchema = z.object({
  kind: z.enum(['threshold', 'judged', 'baseline', 'perspectives', 'documents']),
  dataset: z.string(),
  pipeline: z.string(),
  metric: z.string(),
  tag: z.string().optional(),
  /** `undecided`: what is judged does not decide it, and `reason` says why. Never taken for `passed`. */
  outcome: z.enum(['passed', 'missed', 'undecided']),
  /** Mean over `queries` queries, its bound, and what it would be if all that is unjudged supported. */
  ...measuredSchema.shape,
  queries: z.number().int(),
  /** The threshold that `value` must reach; only of thresholds. */
  min: z.number().optional(),
  /** Where `value` is without the judge's errors: the figure as counted, and the 95% interval of `value`. */
  corrected: z.object({ counted: z.number(), low: z.number(), high: z.number() }).optional(),
  baseline: baselineDifferenceSchema.optional(),
  /**
   * Perspectives that the baseline covered and the top k do not, and how many there may be; of `perspectives`. The
   * check's value is then the share of those that the baseline covered which are covered still. Of `documents`: those that
   * are expected and not within reach.
   */
  lost: z
    .object({
      count: z.number().int(),
      most: z.number().int(),
      /** How many more may be lost: passages of the top k are unjudged for them. Absent where there are none. */
      unjudged: z.number().int().optional(),
    })
    .optional(),
  /** A sentence. */
  reason: z.string(),
  /** Queries because of which it was missed, whatever is said of what is unjudged; none otherwise. */
  failing: z.array(z.string()),
  /** Where it did not pass: queries that hold or not, depending on what is unjudged. Absent where there are none. */
  open: z.array(z.string()).optional(),
});
export type GateCheck = Read<typeof checkSchema>;
export type CheckOutcome = GateCheck['outcome'];

const lostSchema = z.object({
  perspective: z.string(),
  text: z.string(),
  where: placeSchema,
  /** A sentence. */
  reason: z.string(),
  /** The baseline covered it, when the query was the same; all of the top k are judged for it, and it is not quarantined. */
  newly: z.boolean(),
  /** The baseline covered it, and repeated runs of the judge do not show that it is lost: the reason says so. */
  quarantined: z.literal(true).optional(),
  /** The baseline covered it, and so many of the top k are unjudged for it: whether it is lost cannot be told. */
  unjudged: z.number().int().optional(),
});
export type LostView = Read<typeof lostSchema>;

/** A perspective that the top k cover and those of the baseline did not, of the same query. */
const wonSchema = z.object({ perspective: z.string(), text: z.string() });
export type WonView = Read<typeof wonSchema>;

/** A retrieved passage, to be read. */
const shownPassageSchema = z.object({
  id: z.string(),
  /** File and section, for people. */
  name: z.string(),
  text: z.string(),
});
export type ShownPassage = Read<typeof shownPassageSchema>;

const queryReportSchema = z.object({
  id: z.string(),
  text: z.string(),
  /** Identity of its text and perspectives. */
  digest: z.string(),
  /** Where it stands in its eval set, from 1. */
  line: z.number().int().optional(),
  metrics,
  lost: z.array(lostSchema),
  /** Absent where there are none, and in reports of older builds. */
  won: z.array(wonSchema).optional(),
  /** Pairs of a passage in the top k and a perspective that nobody has judged; their passages count as not supporting. */
  unjudged: z.number().int(),
  /** Passage ids, best first, as deep as the measures with a cutoff look. */
  ranked: z.array(z.string()),
  /** Places in the checks of the report of what is missed because of it. */
  missed: z.array(z.number().int()),
  /** The same of what it may hold or not, depending on what is unjudged; absent where there is nothing of the kind. */
  open: z.array(z.number().int()).optional(),
  /** Its top k cover no perspective, and passages of them are unjudged for each one: nothing is known of it. */
  unknown: z.literal(true).optional(),
  /**
   * So many demands look at it: checks whose mean it counts in, and the baseline's perspectives where the baseline has
   * the same query. With 0 nothing could have failed it.
   */
  demands: z.number().int(),
  /** Why it is not compared with the baseline, as a sentence; absent where it is, and without a baseline. */
  uncompared: z.string().optional(),
  /**
   * Passages of the top k that came, went or moved since the baseline: ranks `[then, now]`. Only where
   * something is missed or newly lost.
   */
  moved: z.array(z.object({ item: z.string(), ranks: z.array(z.number().int().nullable()) })).optional(),
  /** The top k with their texts, best first; only where they are asked for. */
  passages: z.array(shownPassageSchema).optional(),
  /** How long its search took when it was made; absent where it failed, and in reports of older builds. */
  milliseconds: z.number().optional(),
});
export type QueryReport = Read<typeof queryReportSchema>;

const pipelineReportSchema = z.object({
  name: z.string(),
  pipeline: pipelineSchema,
  models: z.unknown(),
  metrics,
  /** Those of `metrics` that are not exact; absent if all are. */
  bounds: z.record(z.string(), measuredSchema).optional(),
  queries: z.array(queryReportSchema),
  /** Queries that could not be asked, and why, as a sentence; absent where there are none. */
  queryErrors: z.array(z.object({ query: z.string(), message: z.string() })).optional(),
  /** The judge that both made the ranking and scores it: its figures certify no gain. Absent where there is none. */
  circular: z.string().optional(),
  /** Figures without the judge's errors; absent where no judge counts, or nobody has labelled anything. */
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
   * Sentences on what could not be read or run, or was in the baseline and is no longer there: with any of it
   * the figures are of something else, and nothing passes. Absent where nothing is missing.
   */
  gaps: z.array(z.string()).optional(),
  pipelines: z.array(pipelineReportSchema),
});

export type DatasetReport = Read<typeof datasetReportSchema>;

export const gateReportSchema = z.object({
  version: z.literal(1),
  /** `undecided`: nothing is missed, and a check is undecided. `not-evaluated`: it failed before, or with gaps. */
  outcome: z.enum(['passed', 'missed', 'undecided', 'not-evaluated']),
  /** ISO 8601. */
  at: z.string(),
  commit: z.string().optional(),
  k: z.number().int(),
  judge: z.string(),
  baseline: z.object({ file: z.string(), at: z.string(), commit: z.string().optional() }).optional(),
  checks: z.array(checkSchema),
  datasets: z.array(datasetReportSchema),
  /** Sentences on what limits the figures. */
  notes: z.array(z.string()),
  /** Requests to models beyond those that they had answered before. Absent where that is not known. */
  asked: z.object({ requests: z.number().int(), tokens: z.number().int() }).optional(),
  /** Why nothing could be evaluated; a sentence. */
  error: z.string().optional(),
});

export type GateReport = Read<typeof gateReportSchema>;

/** 0: all passed. 1: something was missed. 3: what was to be evaluated is not whole, or something could not be decided. */
export function exitCodeOf({ outcome }: Pick<GateReport, 'outcome'>): 0 | 1 | 3 {
  return { passed: 0, missed: 1, undecided: 3, 'not-evaluated': 3 }[outcome] as 0 | 1 | 3;
}

/** A gate that failed before it could check anything. */
export function failedReport(
  error: string,
  given: Pick<GateReport, 'at' | 'commit' | 'k' | 'judge'>,
): GateReport {
  return { version: 1, outcome: 'not-evaluated', ...given, checks: [], datasets: [], notes: [], error };
}

/** Sentences on what is missing of data sets that were to be evaluated, each with the name of its data set. */
export function gapsOf({ datasets }: Pick<GateReport, 'datasets'>): string[] {
  return datasets.flatMap(({ name, gaps = [] }) => gaps.map((gap) => `${name}: ${gap}`));
}

/** A query with the pipeline and data set that it was asked of. */
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

/** Queries because of which something was missed, with the pipeline and data set they were asked of. */
export function failedQueries(report: GateReport): PlacedQuery[] {
  return queriesIn(report).filter(({ query }) => query.missed.length > 0);
}
