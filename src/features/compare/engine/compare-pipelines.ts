/**
 * Compares several pipelines on one or several data sets. A data set is an eval set with its corpus. All figures of a
 * data set rest on the same judgements.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import { pipelineLabel } from '../../../core/pipeline-label.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type { Params } from '../../../shared/rpc.ts';
import { parseMeasure } from '../../../core/metrics/measures.ts';
import type { RepeatsReport } from '../../../core/metrics/repeats.ts';
import {
  judgementsOf,
  withPerspectives,
  type Experiments,
  type RanDataset,
} from '../../../engine/experiment/experiments.ts';
import { storedRepeats } from '../../../engine/experiment/repeats.ts';
import { Budget } from '../../../engine/judgements/budget.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { comparedMeasures, describeDataset, type Dataset } from './compare-dataset.ts';
import { macroAverages } from './compare-measures.ts';
import { keepRankings, type KeptRankings } from './kept-rankings.ts';

export interface ComparisonOutcome {
  readonly comparison: Omit<Evaluation, 'id' | 'at'>;
  /** Per data set, in their order. */
  readonly rankings: readonly KeptRankings[];
}

/**
 * @param judge whose answers count beside labels; undefined for labels alone
 * @param repeatOf the same judge in a repeat, from 2
 * @throws ParallaxError
 *   `bad-argument` for duplicate names or query ids, and data sets without perspectives; what opening a corpus throws; `cancelled`.
 *   A pipeline that fails is no error: its result has the reason
 */
export async function comparePipelines(
  { datasets, judge: judgeName, pipelines, k, budget }: Params<'compare'>,
  judge: Judge | undefined,
  repeatOf: (repeat: number) => Judge | undefined,
  experiments: Experiments,
  work: WorkOptions,
): Promise<ComparisonOutcome> {
  checkNames(datasets, pipelines);
  const request = {
    datasets: datasets.map(withPerspectives),
    pipelines,
    k,
    judge,
    beyond: { exact: true, sides: true, groups: true },
    budget: new Budget(budget),
    keptRequests: 0,
  };
  const { signal } = work;
  const compared = await experiments.run(request, work, async (ran) => {
    const judgements = await judgementsOf(ran, { k }, { signal });
    const repeats = await repeatsOf(ran, repeatOf, k, work);
    return {
      measures: comparedMeasures(ran, k),
      view: { ...(await describeDataset(ran, judgements, k, signal)), ...(repeats ? { repeats } : {}) },
      rankings: await keepRankings(ran.dataset.queries, ran.runs, judgements, { signal }),
    };
  });
  const views = compared.map(({ view }) => view);
  const measures = sharedBy(compared.map((dataset) => dataset.measures));
  const macro = macroAverages(views, measures);
  return {
    comparison: {
      judge: judgeName,
      k,
      measures,
      pipelines: pipelines.map(({ name, pipeline }) => ({
        name,
        label: pipelineLabel({ ...pipeline, name: undefined }),
        pipeline,
      })),
      datasets: views,
      ...(macro ? { macro } : {}),
    },
    rankings: compared.map(({ rankings }) => rankings),
  };
}

/** Of the measures that can be complete although some pairs are unjudged. */
async function repeatsOf(
  all: RanDataset<Dataset>,
  repeatOf: (repeat: number) => Judge | undefined,
  k: number,
  { signal }: WorkOptions,
): Promise<RepeatsReport | undefined> {
  const runs = all.runs.filter(({ error }) => !error);
  if (runs.length === 0) return undefined;
  const measures = [`MRecall@${k}`, `Precision@${k}`].map(parseMeasure);
  const read = { k, measures, compareTo: runs[0]!.name, scope: 'figures' as const };
  return storedRepeats({ ...all, runs }, repeatOf, read, { signal });
}

/** Names that occur in every list, in the order of the first, since corpora may have different fields. */
function sharedBy([first = [], ...otherLists]: readonly (readonly string[])[]): string[] {
  return first.filter((name) => otherLists.every((names) => names.includes(name)));
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
      throw new ParallaxError(
        'bad-argument',
        l10n.t`Two questions of ${dataset.evalSet} have the id "${id}".`,
      );
  }
}

function repeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
