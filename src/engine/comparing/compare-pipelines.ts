/**
 * Several pipelines on one or several data sets: a data set is an eval set and the corpus that it is asked
 * of. All figures of a data set rest on the same judgements.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { pipelineLabel } from '../../core/pipeline.ts';
import type { Comparison, DatasetView } from '../../shared/compare.ts';
import type { Params } from '../../shared/rpc.ts';
import type { WorkOptions } from '../types.ts';
import { splitByPages } from '../web/own-pages.ts';
import type { CachedSearches } from '../experiment/cached-searches.ts';
import { comparedMeasures, describeDataset, type Dataset } from './compare-dataset.ts';
import { CompareJudgements, type JudgementSources } from '../experiment/collected-judgements.ts';
import { macroAverages } from './compare-measures.ts';
import { CompareProgress } from './compare-progress.ts';
import {
  plannedSearches,
  runPipelineOn,
  type NamedPipeline,
  type PipelineRuns,
} from '../experiment/pipeline-runs.ts';
import { keepRankings, type KeptRankings } from './kept-rankings.ts';

export interface CorpusParts extends JudgementSources {
  readonly searches: CachedSearches;
}

/** Opens what a data set is asked of. @throws ParallaxError for an unknown or unindexed corpus */
export type OpenCorpus = (name: string) => Promise<CorpusParts>;

export interface ComparisonOutcome {
  readonly comparison: Omit<Comparison, 'id' | 'at'>;
  /** Per data set, in their order. */
  readonly rankings: readonly KeptRankings[];
}

/**
 * @throws ParallaxError `bad-argument` for names or query ids that occur twice, and data sets without
 *   anything to cover; what opening a corpus throws; `cancelled`. A pipeline that cannot be run is no
 *   error: its result says why
 */
export async function comparePipelines(
  { datasets, judge, pipelines, k }: Params<'compare'>,
  open: OpenCorpus,
  { signal, onProgress }: WorkOptions,
): Promise<ComparisonOutcome> {
  checkNames(datasets, pipelines);
  const covered = datasets.map(withPerspectives);
  // Before anything is run, so that a missing index is told at once.
  const corpora = new Map<string, CorpusParts>();
  for (const { corpus } of covered) if (!corpora.has(corpus)) corpora.set(corpus, await open(corpus));

  const asked: AskedDataset[] = [];
  for (const dataset of covered) asked.push(await withPages(dataset, corpora.get(dataset.corpus)!));
  const progress = new CompareProgress(onProgress);
  for (const { queries } of asked)
    for (const { pipeline } of pipelines) progress.expect(plannedSearches(pipeline, queries));
  const views: DatasetView[] = [];
  const rankings: KeptRankings[] = [];
  for (const { leftOut, ...dataset } of asked) {
    const parts = corpora.get(dataset.corpus)!;
    const runs: PipelineRuns[] = [];
    for (const named of pipelines) {
      const end = progress.done + plannedSearches(named.pipeline, dataset.queries);
      runs.push(await runPipelineOn(named, dataset.queries, k, parts.searches, progress, signal));
      progress.reach(end);
    }
    const judgements = await CompareJudgements.collect(dataset.queries, runs, parts, k, signal);
    const view = await describeDataset({ dataset, pipelines, runs, judgements, k }, signal);
    views.push({ ...view, ...(leftOut.length > 0 ? { leftOut: [...leftOut] } : {}) });
    rankings.push(await keepRankings(dataset.queries, runs, judgements, { signal }));
  }
  const macro = macroAverages(views, comparedMeasures(k));
  return {
    comparison: {
      judge,
      k,
      measures: comparedMeasures(k),
      pipelines: pipelines.map(({ name, pipeline }) => ({
        name,
        label: pipelineLabel({ ...pipeline, name: undefined }),
        pipeline,
      })),
      datasets: views,
      ...(macro ? { macro } : {}),
    },
    rankings,
  };
}

function checkNames(datasets: readonly Dataset[], pipelines: readonly NamedPipeline[]): void {
  const name = repeated(datasets.map((dataset) => dataset.name));
  if (name !== undefined)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Two data sets are called "${name}". Give each its own name.`,
    );
  const pipeline = repeated(pipelines.map((named) => named.name));
  if (pipeline !== undefined)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Two pipelines are called "${pipeline}". Give each its own name.`,
    );
  for (const dataset of datasets) {
    const id = repeated(dataset.queries.map((query) => query.id));
    if (id !== undefined)
      throw new ParallaxError('bad-argument', l10n.t`Two queries of ${dataset.evalSet} have the id "${id}".`);
  }
}

function repeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

type AskedDataset = Dataset & {
  /** Ids of queries that the corpus has no pages for. */
  readonly leftOut: readonly string[];
};

async function withPages(dataset: Dataset, { index }: CorpusParts): Promise<AskedDataset> {
  const { asked, leftOut } = await splitByPages(index, dataset.queries);
  return { ...dataset, queries: [...asked], leftOut: leftOut.map(({ id }) => id) };
}

/** Queries without perspectives have nothing to cover, and are left out. */
function withPerspectives(dataset: Dataset): Dataset {
  const queries = dataset.queries.filter(({ perspectives }) => perspectives.length > 0);
  if (queries.length > 0) return { ...dataset, queries };
  throw new ParallaxError(
    'bad-argument',
    l10n.t`No query of ${dataset.evalSet} has perspectives; there is nothing to cover.`,
  );
}
