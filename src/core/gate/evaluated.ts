/** The input of a gate: rankings and judgements, and the measures computed from both. */
import { candidateDepth, coverageLoss, type QueryLoss } from '../analysis/lost.ts';
import type { Certainties } from '../external/certainty.ts';
import type { Shortfalls } from '../external/shortfall.ts';
import type { JudgedLine } from '../formats/judged-qrels.ts';
import type { RunLikeness } from '../likeness/ranked-likeness.ts';
import type { TwoOpinions } from '../metrics/corrected.ts';
import { evaluateRun, type RunEvaluation } from '../metrics/evaluate.ts';
import { boundsOf, measuredRun, type MeasuredRun } from '../metrics/unjudged.ts';
import { definitionNamed, parseMeasure } from '../metrics/measures.ts';
import type { Qrels, Query, Run } from '../model.ts';
import type { Pipeline } from '../pipeline.ts';
import type { JudgementSummary } from './baseline.ts';
import type { DatasetReport, PipelineReport, ShownPassage } from './report.ts';
import type { RepeatedVerdict } from './repeated-verdict.ts';
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
  /** The pipeline's candidates, or as deep as the measures look where that is more. */
  readonly run: Run;
  /** Milliseconds of each query's search, by its id. */
  readonly times: ReadonlyMap<string, number>;
  /** Where a threshold asks for it. */
  readonly likeness?: RunLikeness | undefined;
  /** From an exact search, where a part of the search was approximate. */
  readonly exact?: Run | undefined;
  /** The judge that both made the ranking and scores it; absent where there is none. */
  readonly circular?: string | undefined;
  /** A store returned fewer candidates than it was asked for. */
  readonly short?: Shortfalls | undefined;
  /** Of a projection over what a store returned. */
  readonly certainty?: Certainties | undefined;
  /** Queries that could not be asked: they found nothing, and count as such. */
  readonly queryErrors?: PipelineReport['queryErrors'];
  /** Exact searches, beside the approximate ones, that failed. */
  readonly exactErrors?: PipelineReport['queryErrors'];
}

/** An eval set, asked of a corpus. */
export interface EvaluatedDataset extends Pick<DatasetReport, 'name' | 'evalSet' | 'file' | 'corpus'> {
  /** All with at least one perspective; at least one. */
  readonly queries: readonly EvaluatedQuery[];
  /** Sentences on what of the eval set, or of the labels, could not be read. */
  readonly unreadable?: readonly string[] | undefined;
  /** Pipelines that could not be run on any query, each with the reason as a sentence. */
  readonly failed?: readonly { readonly name: string; readonly error: string }[] | undefined;
  /** Ids of queries that were not asked, because the corpus has no pages for them. */
  readonly leftOut?: readonly string[] | undefined;
  /** Every query with all its perspectives, and judgements of what was retrieved for it now and in the baseline. */
  readonly qrels: Qrels;
  readonly judgements: JudgementSummary;
  /** Everything that is judged, and by whom; where that is to be written down. */
  readonly lines?: readonly JudgedLine[] | undefined;
  /** To correct figures by; absent where they rest on no judge, or nobody has labelled anything. */
  readonly opinions?: TwoOpinions | undefined;
  readonly pipelines: readonly EvaluatedPipeline[];
  /** Those in the top k of any pipeline, by id; where they are to be shown. */
  readonly passages?: ReadonlyMap<string, ShownPassage> | undefined;
  /** Of what is lost since the baseline, what repeated runs of the judge said; absent where it was not asked again. */
  readonly repeated?: readonly RepeatedVerdict[] | undefined;
  /** Where a passage stands, for people. */
  readonly pathOf: (passageId: string) => string;
}

/** Passages are judged as they are retrieved. */
const BASIS = 'open';

/** A pipeline on a data set, measured. */
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

/** The value of a query that is there, of a measure that was worked out. */
export function valueOf(scores: RunEvaluation, query: string, metric: string): number {
  return scores.perTopic.get(query)![metric]!;
}

/** The value of a query if everything unjudged that its measure looks at supported; as it is where that says nothing. */
export function ifAllSupport({ dataset, pipeline, scores }: Scored, query: string, metric: string): number {
  if (definitionNamed(metric)!.better !== 'more') return valueOf(scores, query, metric);
  const ranking = (pipeline.run.get(query) ?? []).map(({ item }) => item);
  return boundsOf(parseMeasure(metric), ranking, dataset.qrels.get(query)!, BASIS).high;
}

/** Where nobody has judged anything, a figure that rests on judgements is 0 because of that alone. */
export function saysNothingYet({ judgements }: EvaluatedDataset, metric: string): boolean {
  return judgements.pairs > 0 && judgements.judged === 0 && definitionNamed(metric)!.better === 'more';
}
