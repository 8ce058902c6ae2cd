/** Turns an evaluation into a baseline. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { stableJson, type Baseline, type BaselineDataset, type BaselinePipeline } from './baseline.ts';
import { gapsOf, type DatasetReport, type GateReport, type PipelineReport } from './report.ts';

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

/** Why a report cannot be a baseline: later runs must not be compared with an incomplete one. Empty if it can. */
export function obstaclesOf(report: Pick<GateReport, 'datasets'>): string[] {
  const unasked = report.datasets.flatMap(({ name, pipelines }) =>
    pipelines.flatMap((pipeline) => unaskedOf(name, pipeline)),
  );
  return [...gapsOf(report), ...unasked];
}

function unaskedOf(dataset: string, { name, queryErrors = [] }: PipelineReport): string[] {
  const [first] = queryErrors;
  if (!first) return [];
  const ids = queryErrors.map(({ query }) => query).join(', ');
  return [l10n.t`"${name}" did not answer these questions of "${dataset}": ${ids}. ${first.message}`];
}

/**
 * Sentences to show with an accepted baseline: its unjudged pairs, and the models needed to compare with it elsewhere.
 */
export function caveatsOf(baseline: Pick<Baseline, 'datasets'>): string[] {
  return [...holesOf(baseline), ...modelsOf(baseline)];
}

/** Answers of models are stored beside the corpus on this machine and are never committed. */
function modelsOf({ datasets }: Pick<Baseline, 'datasets'>): string[] {
  return datasets.flatMap(({ name, judgements: { judged, by } }) =>
    by
      .filter(({ source }) => source === 'llm' || source === 'debate')
      .map(({ judge, count }) =>
        counted(
          l10n.t(
            'In "{0}" {1} of {2} judged [2:pair is|pairs are] answers of "{3}", which are kept on this machine only. Elsewhere, such as in CI, they are unknown until the judge is asked: parallax gate --judge {4}.',
          ),
          name,
          count,
          judged,
          judge,
          judge,
        ),
      ),
  );
}

/**
 * One sentence per data set with unjudged pairs. They count as not supporting, so that later evaluations reach the
 * baseline without being better.
 */
function holesOf({ datasets }: Pick<Baseline, 'datasets'>): string[] {
  return datasets
    .filter(({ judgements: { judged, pairs } }) => judged < pairs)
    .map(({ name, judgements: { judged, pairs } }) =>
      counted(
        l10n.t(
          'In "{0}" {1} of {2} [2:pair is|pairs are] judged, and the others count as not supporting: this baseline is easy to reach. Judge them, and accept it again.',
        ),
        name,
        judged,
        pairs,
      ),
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
    queries: queries.map(({ id, digest, metrics: queryMetrics, lost, ranked }) => ({
      id,
      digest,
      metrics: queryMetrics,
      lost: lost.map(({ perspective, where }) => ({ perspective, where })),
      ranked: [...ranked],
    })),
  };
}

/** As serialized: without undefined fields. */
function plain(value: unknown): BaselinePipeline['pipeline'] {
  return JSON.parse(stableJson(value)) as BaselinePipeline['pipeline'];
}
