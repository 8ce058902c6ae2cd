/** Removes the figures that an evaluation cannot know, because an unjudged passage is not a "no". */
import { isKnownFigure } from '../core/metrics/measures.ts';
import type { ExperimentReport, PipelineExperiment } from '../shared/experiment.ts';

/** Shown instead of figures. */
export const NOTHING_JUDGED =
  'Nothing that was retrieved is judged, so that there is nothing to count yet. Name a judge (--judge), give --qrels ' +
  'that name passages of the corpus, or label passages in the editor.';

/**
 * The report without figures of support at cutoffs within which nothing is judged. Qrels without a judge are complete:
 * passages that they do not name do not support, so 0 is a figure, unless they name nothing in the corpus.
 */
export function withKnownFigures(report: ExperimentReport): ExperimentReport {
  if (report.basis !== 'open') return report;
  return {
    ...report,
    pipelines: report.pipelines.map((pipeline) =>
      withKnownLosses(onlyFigures(pipeline, (name) => isKnownFigure(pipeline.metrics, name))),
    ),
  };
}

/**
 * Without judgements, keeps the counts by place and drops MRecall, because whether a perspective is covered is unknown.
 */
function withKnownLosses(pipeline: PipelineExperiment): PipelineExperiment {
  const { lost } = pipeline.analyses;
  if (!lost || pipeline.judged > 0) return pipeline;
  const { mrecall: _, ...places } = lost;
  const perQuery = lost.perQuery.map(({ mrecall: __, ...query }) => query);
  return { ...pipeline, analyses: { ...pipeline.analyses, lost: { ...places, perQuery } } };
}

/** Whether no result of any pipeline is judged. */
export function isNothingJudged({
  basis,
  pipelines,
}: Pick<ExperimentReport, 'basis' | 'pipelines'>): boolean {
  return basis === 'open' && pipelines.every(({ judged }) => judged === 0);
}

function onlyFigures(pipeline: PipelineExperiment, isWanted: (name: string) => boolean): PipelineExperiment {
  const subset = (metrics: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(Object.entries(metrics).filter(([name]) => isWanted(name)));
  return {
    ...pipeline,
    metrics: subset(pipeline.metrics),
    queries: pipeline.queries.map(({ id, metrics }) => ({ id, metrics: subset(metrics) })),
  };
}
