/** The input of a gate: rankings and judgements, and the measures computed from both. */
import { coverageLoss, type QueryLoss } from '../analysis/lost.ts';
import { evaluateRun, type RunEvaluation } from '../metrics/evaluate.ts';
import type { Qrels, Query, Run } from '../model.ts';
import type { Pipeline } from '../pipeline.ts';
import type { JudgementSummary } from './baseline.ts';
import type { DatasetReport } from './report.ts';
import { measuresOf, type GateSpec } from './spec.ts';

export interface EvaluatedQuery extends Query {
  /** Where it stands in its eval set, from 1. */
  readonly line?: number | undefined;
  /** Identity of its text and perspectives. */
  readonly digest: string;
}

export interface EvaluatedPipeline {
  readonly name: string;
  readonly pipeline: Pipeline;
  /** The configuration of the models that it names, as JSON. */
  readonly models: unknown;
  /** At least as deep as the measures look. */
  readonly run: Run;
}

/** An eval set, asked of a corpus. */
export interface EvaluatedDataset extends Pick<DatasetReport, 'name' | 'evalSet' | 'file' | 'corpus'> {
  /** All with at least one perspective; at least one. */
  readonly queries: readonly EvaluatedQuery[];
  /** Ids of queries that were not asked, because the corpus has no pages for them. */
  readonly leftOut?: readonly string[] | undefined;
  /** Every query with all its perspectives, and judgements of what was retrieved for it now and in the baseline. */
  readonly qrels: Qrels;
  readonly judgements: JudgementSummary;
  readonly pipelines: readonly EvaluatedPipeline[];
  /** Where a passage stands, for people. */
  readonly pathOf: (passageId: string) => string;
}

/** A pipeline on a data set, measured. */
export interface Scored {
  readonly dataset: EvaluatedDataset;
  readonly pipeline: EvaluatedPipeline;
  readonly scores: RunEvaluation;
  readonly losses: ReadonlyMap<string, QueryLoss>;
}

export function scored(spec: GateSpec, dataset: EvaluatedDataset): Scored[] {
  const { qrels, pathOf } = dataset;
  return dataset.pipelines.map((pipeline) => ({
    dataset,
    pipeline,
    scores: evaluateRun(pipeline.run, qrels, measuresOf(spec), { kind: 'diversity' }),
    losses: coverageLoss(pipeline.run, qrels, {
      k: spec.k,
      candidates: pipeline.pipeline.candidates,
      pathOf,
    }).perQuery,
  }));
}

/** @returns undefined for a measure that was not worked out, or a query that is not there */
export function valueOf(scores: RunEvaluation, query: string, metric: string): number | undefined {
  return scores.perTopic.get(query)?.[metric];
}
