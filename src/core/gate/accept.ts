/** Turns an evaluation into a baseline. */
import * as l10n from '@vscode/l10n';
import { stableJson, type Baseline, type BaselineDataset, type BaselinePipeline } from './baseline.ts';
import type { DatasetReport, GateReport, PipelineReport } from './report.ts';

export function baselineOf(report: GateReport): Baseline {
  const { at, commit, k, datasets } = report;
  return {
    version: 1,
    at,
    ...(commit === undefined ? {} : { commit }),
    k,
    datasets: datasets.map(datasetOf),
  };
}

/**
 * A sentence for each data set in which an accepted baseline has holes: unjudged passages count for nothing in it, so
 * that later ones reach it without being better.
 */
export function holesOf({ datasets }: Pick<Baseline, 'datasets'>): string[] {
  return datasets
    .filter(({ judgements: { judged, pairs } }) => judged < pairs)
    .map(
      ({ name, judgements: { judged, pairs } }) =>
        l10n.t`In "${name}" ${judged} of ${pairs} pairs are judged, and the others count as not supporting: this baseline is easily reached. Judge them, and accept it again.`,
    );
}

function datasetOf({ name, evalSet, corpus, judgements, pipelines }: DatasetReport): BaselineDataset {
  return {
    name,
    evalSet,
    corpus,
    judgements,
    basis: 'open',
    pipelines: pipelines.map(pipelineOf),
  };
}

function pipelineOf({
  name,
  pipeline,
  models,
  metrics,
  circular,
  correction,
  queries,
}: PipelineReport): BaselinePipeline {
  return {
    name,
    pipeline: plain(pipeline),
    models: plain(models),
    metrics,
    ...(circular === undefined ? {} : { circular }),
    ...(correction ? { correction } : {}),
    queries: queries.map(({ id, digest, metrics: own, lost, ranked }) => ({
      id,
      digest,
      metrics: own,
      lost: lost.map(({ perspective, where }) => ({ perspective, where })),
      ranked: [...ranked],
    })),
  };
}

/** As a file holds it: without fields that are undefined. */
function plain(value: unknown): BaselinePipeline['pipeline'] {
  return JSON.parse(stableJson(value)) as BaselinePipeline['pipeline'];
}
