/** Runs the pipelines of a gate on an eval set, and collects the judgements that the figures rest on. */
import * as l10n from '@vscode/l10n';
import { inContext } from '../../core/errors.ts';
import type { Baseline } from '../../core/gate/baseline.ts';
import type { EvaluatedDataset, EvaluatedPipeline } from '../../core/gate/evaluated.ts';
import { depthOf, type GateSpec } from '../../core/gate/spec.ts';
import { needsOf } from '../../core/pipeline-needs.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Budget } from '../judgements/budget.ts';
import type { Judge } from '../judges/judge.ts';
import type { JudgementService } from '../judgements/judgement-service.ts';
import { Pace } from '../concurrency/pace.ts';
import { withDatasetMaximum } from '../retrieval/dataset-maximum.ts';
import type { PipelineServices } from '../retrieval/pipeline-services.ts';
import type { Slot, WorkOptions } from '../types.ts';
import { splitByPages } from '../web/own-pages.ts';
import type { GateDataset } from './eval-sets.ts';
import { judgeDataset } from './gate-judging.ts';
import type { NamedPipeline } from './gate-plan.ts';
import type { GateSearches } from './gate-searches.ts';

export interface GateConditions {
  readonly spec: GateSpec;
  /** What the names of models stand for. */
  readonly models: Pick<ParallaxConfig, 'embedders' | 'judges'>;
  readonly pipelines: readonly NamedPipeline[];
  /** Name of the judge whose judgements count beside human labels. */
  readonly judge: string;
  /** Whether a judge that costs something may be asked. */
  readonly ask: boolean;
  readonly budget: Budget;
  /** Whether what a judge answers outlives the run. */
  readonly keepsAnswers: boolean;
  /** Its rankings are judged, too. */
  readonly baseline: Baseline | undefined;
}

/** An indexed corpus, and what searching and judging it takes. */
export interface GateCorpus {
  readonly index: CorpusIndex;
  readonly services: PipelineServices;
  readonly searches: GateSearches;
  readonly judgementService: JudgementService;
  /** Absent for human labels only. */
  readonly judge: Judge | undefined;
  readonly described: EvaluatedDataset['corpus'];
}

/** What a pipeline ranked, by query id and best first. */
export interface PipelineSlots extends Omit<EvaluatedPipeline, 'run'> {
  readonly slots: ReadonlyMap<string, readonly Slot[]>;
}

/**
 * @throws ParallaxError what a search or a judge throws; a judge that leaves a pair unanswered has failed;
 *   `cancelled`
 */
export async function evaluateDataset(
  dataset: GateDataset,
  corpus: GateCorpus,
  conditions: GateConditions,
  work: WorkOptions,
): Promise<EvaluatedDataset> {
  const { asked: queries, leftOut } = await splitByPages(corpus.index, dataset.queries);
  const asked = { ...dataset, queries };
  const runs: PipelineSlots[] = [];
  for (const named of conditions.pipelines)
    runs.push(await runPipeline(named, asked, corpus, conditions, work));
  const evaluated = await judgeDataset(asked, runs, corpus, conditions, work);
  return { ...evaluated, leftOut: leftOut.map(({ id }) => id) };
}

async function runPipeline(
  { name, pipeline: given }: NamedPipeline,
  { name: dataset, queries }: GateDataset,
  { index, services, searches }: GateCorpus,
  { spec, models }: GateConditions,
  { signal, onProgress }: WorkOptions,
): Promise<PipelineSlots> {
  const detail = `${dataset} ${name}`;
  const work: WorkOptions = {
    signal,
    onProgress: (progress) => onProgress?.({ ...progress, detail: progress.detail ?? detail }),
  };
  const pipeline = await withDatasetMaximum(index, given, queries, services, work);
  const search = await searches.prepare(pipeline, Math.max(depthOf(spec), pipeline.candidates));
  const pace = new Pace(work);
  const slots = new Map<string, readonly Slot[]>();
  for (const query of queries) {
    const found = await search(query, { signal }).catch((error: unknown) => {
      throw inContext((sentence) => l10n.t`Query "${query.id}": ${sentence}`, error);
    });
    slots.set(query.id, found.slots);
    pace.report(slots.size, queries.length);
    if (pace.due) await pace.rest();
  }
  return { name, pipeline: given, models: modelsOf(given, models), slots };
}

/** What the names of models in a pipeline stand for. */
function modelsOf(pipeline: Pipeline, { embedders, judges }: GateConditions['models']): unknown {
  const needs = needsOf(pipeline);
  const named = (
    names: readonly (string | undefined)[],
    configs: Readonly<Record<string, unknown>>,
  ): object =>
    Object.fromEntries(
      names.flatMap((name) =>
        name !== undefined && Object.hasOwn(configs, name) ? [[name, configs[name]]] : [],
      ),
    );
  return {
    ...named(needs.embedders, embedders),
    ...named([...needs.judges, ...needs.writers], judges),
  };
}
