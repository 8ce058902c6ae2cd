/** The input of a gate: rankings, judgements, and the measures computed from them. */
import type { UnanswerableReport } from '../../../core/analysis/unanswerable.ts';
import { candidateDepth, coverageLoss, type QueryLoss } from '../../../core/analysis/lost.ts';
import type { Certainties } from '../../../core/external/certainty.ts';
import type { Shortfalls } from '../../../core/external/shortfall.ts';
import type { JudgedLine } from '../../../core/formats/judged-qrels.ts';
import type { RunLikeness } from '../../../core/likeness/ranked-likeness.ts';
import type { TwoOpinions } from '../../../core/metrics/corrected.ts';
import { evaluateRun, type RunEvaluation } from '../../../core/metrics/evaluate.ts';
import type { RepeatsReport } from '../../../core/metrics/repeats.ts';
import { boundsOf, measuredRun, type MeasuredRun } from '../../../core/metrics/unjudged.ts';
import { definitionNamed, parseMeasure } from '../../../core/metrics/measures.ts';
import type { Qrels, Query, Run } from '../../../core/model.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import type { JudgementSummary } from './baseline.ts';
import type { DatasetReport, PipelineReport, ShownPassage } from './report.ts';
import type { RepeatedVerdict } from './repeated-verdict.ts';
import { measuresOf, type GateSpec } from './spec.ts';

export interface EvaluatedQuery extends Query {
  /** Its line in the eval set, from 1. */
  readonly line?: number | undefined;
  /** Hash of its text and perspectives. */
  readonly digest: string;
}

export interface EvaluatedPipeline {
  readonly name: string;
  readonly pipeline: Pipeline;
  /** The configuration of the models that it refers to, as JSON. */
  readonly models: unknown;
  /** At least the pipeline's candidates, and as deep as the measures need. */
  readonly run: Run;
  /** Milliseconds of each query's search, by query id. */
  readonly times: ReadonlyMap<string, number>;
  /** Set if a threshold needs it. */
  readonly likeness?: RunLikeness | undefined;
  /** The run of an exact search. Set if a part of the search was approximate. */
  readonly exact?: Run | undefined;
  /** Retrieval for questions without an answer. `undefined` if the eval set has none. */
  readonly unanswerable?: UnanswerableReport | undefined;
  /** The judge that both made the ranking and scores it. `undefined` if there is none. */
  readonly circular?: string | undefined;
  /** Set if a store returned fewer candidates than requested. */
  readonly short?: Shortfalls | undefined;
  /** For a projection over what a store returned. */
  readonly certainty?: Certainties | undefined;
  /** Queries that failed. They count as queries that found nothing. */
  readonly queryErrors?: PipelineReport['queryErrors'];
  /** Exact searches beside the approximate ones that failed. */
  readonly exactErrors?: PipelineReport['queryErrors'];
}

/** An eval set evaluated on a corpus. */
export interface EvaluatedDataset extends Pick<DatasetReport, 'name' | 'evalSet' | 'file' | 'corpus'> {
  /** All queries with at least one perspective; not empty. */
  readonly queries: readonly EvaluatedQuery[];
  /** Sentences on the parts of the eval set or the labels that could not be read. */
  readonly unreadable?: readonly string[] | undefined;
  /** Pipelines that failed on every query, each with a sentence on the reason. */
  readonly failed?: readonly { readonly name: string; readonly error: string }[] | undefined;
  /** Ids of queries that were skipped because the corpus has no pages for them. */
  readonly leftOut?: readonly string[] | undefined;
  /** All perspectives of every query, with judgements of the passages retrieved now and in the baseline. */
  readonly qrels: Qrels;
  readonly judgements: JudgementSummary;
  /** The number of questions without an answer. Defaults to none. */
  readonly unanswerable?: number | undefined;
  /** Every judgement with its source. Set if judgements are written to a file. */
  readonly lines?: readonly JudgedLine[] | undefined;
  /** The basis for corrected figures. `undefined` if no judge counts or there are no labels. */
  readonly opinions?: TwoOpinions | undefined;
  /** What the judge changes by itself. `undefined` if everything was judged once. */
  readonly repeats?: RepeatsReport | undefined;
  readonly pipelines: readonly EvaluatedPipeline[];
  /** The passages in the top k of any pipeline, by id. Set if they are shown. */
  readonly passages?: ReadonlyMap<string, ShownPassage> | undefined;
  /**
   * Verdicts of repeated judging on perspectives lost since the baseline. `undefined` if the judge was not asked again.
   */
  readonly repeated?: readonly RepeatedVerdict[] | undefined;
  /** The display name of a passage's place. */
  readonly pathOf: (passageId: string) => string;
}

/** Passages are judged as they are retrieved. */
const BASIS = 'open';

/** A pipeline's measures on a data set. */
export interface Scored {
  readonly dataset: EvaluatedDataset;
  readonly pipeline: EvaluatedPipeline;
  readonly scores: RunEvaluation;
  readonly measured: MeasuredRun;
  readonly losses: ReadonlyMap<string, QueryLoss>;
}

export function scored(spec: GateSpec, dataset: EvaluatedDataset): Scored[] {
  const { qrels, pathOf } = dataset;
  return dataset.pipelines.map((pipeline) => {
    const scores = evaluateRun(pipeline.run, qrels, measuresOf(spec), {
      kind: 'diversity',
      basis: BASIS,
      likeness: pipeline.likeness,
    });
    return {
      dataset,
      pipeline,
      scores,
      measured: measuredRun(scores, pipeline.run, qrels, BASIS),
      losses: coverageLoss(pipeline.run, qrels, {
        k: spec.k,
        candidates: candidateDepth(pipeline.pipeline, spec.k),
        exact: pipeline.exact,
        pathOf,
        basis: BASIS,
      }).perQuery,
    };
  });
}

/** The value of an existing query for a computed measure. */
export function valueOf(scores: RunEvaluation, query: string, metric: string): number {
  return scores.perTopic.get(query)![metric]!;
}

/**
 * The value of a query if all unjudged passages within the cutoff supported. Unchanged for measures that this does not
 * affect.
 */
export function ifAllSupport({ dataset, pipeline, scores }: Scored, query: string, metric: string): number {
  if (definitionNamed(metric)!.better !== 'more') return valueOf(scores, query, metric);
  const ranking = (pipeline.run.get(query) ?? []).map(({ item }) => item);
  return boundsOf(parseMeasure(metric), ranking, dataset.qrels.get(query)!, BASIS).high;
}

/** Whether a figure that needs judgements is 0 only because nothing is judged. */
export function saysNothingYet({ judgements }: EvaluatedDataset, metric: string): boolean {
  return judgements.pairs > 0 && judgements.judged === 0 && definitionNamed(metric)!.better === 'more';
}
