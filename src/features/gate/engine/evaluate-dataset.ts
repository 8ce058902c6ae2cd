/** Runs the experiment of an eval set, and converts its result into what a gate judges. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import type { Baseline } from '../core/baseline.ts';
import type { EvaluatedDataset, EvaluatedPipeline } from '../core/evaluated.ts';
import { isNoResult, unreadableText } from '../../../core/judging/unreadable.ts';
import { demandsCorrected, depthOf, measuresOf, type GateSpec } from '../core/spec.ts';
import { candidateDepth } from '../../../core/analysis/lost.ts';
import { needsOf } from '../../../core/pipeline-needs.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import { passageName } from '../../../core/text/passage-name.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { questionRun, unanswerableOf } from '../../../engine/experiment/analyses.ts';
import { circularIn } from '../../../engine/experiment/circular.ts';
import { judgeLabelled } from '../../../engine/experiment/correction.ts';
import type { CollectedJudgements } from '../../../engine/experiment/collected-judgements.ts';
import {
  figureQueries,
  judgementsOf,
  separateFailed,
  type ExperimentDataset,
  type RanDataset,
} from '../../../engine/experiment/experiments.ts';
import {
  judgeFigures,
  type FigureQuery,
  type FigureReport,
} from '../../../engine/experiment/judge-figures.ts';
import { runLikenesses } from '../../../engine/experiment/run-likeness.ts';
import { isOfVerdicts, storedRepeats } from '../../../engine/experiment/repeats.ts';
import type { PipelineRuns } from '../../../engine/experiment/pipeline-runs.ts';
import type { Budget } from '../../../engine/judgements/budget.ts';
import type { JudgementService } from '../../../engine/judgements/judgement-service.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { Slot, WorkOptions } from '../../../engine/types.ts';
import type { GateDataset } from './eval-sets.ts';
import { judgeAgain } from './judge-again.ts';

export interface GateConditions {
  readonly spec: GateSpec;
  readonly models: Pick<ParallaxConfig, 'embedders' | 'judges'>;
  /** Name of the judge whose answers count beside human labels. */
  readonly judge: string;
  /** Whether a judge that costs something may be asked. */
  readonly ask: boolean;
  readonly budget: Budget;
  /** How often everything is judged if the judge is asked. Defaults to once. */
  readonly repeats?: number | undefined;
  /** Whether a judge's answers are stored beyond the run. */
  readonly keepsAnswers: boolean;
  /** Whether to write down every judged pair. */
  readonly lines?: boolean | undefined;
  /** Whether to show the texts of retrieved passages. */
  readonly passages?: boolean | undefined;
  /** Messages about labels that could not be read. */
  readonly unreadableLabels: readonly string[];
  /** The baseline whose rankings are judged, too. */
  readonly baseline: Baseline | undefined;
  readonly service: JudgementService;
  /** The judge of a repeat, from 2. */
  readonly repeatOf: (repeat: number) => Judge;
}

/** An eval set with the name of its corpus. */
export type AskedDataset = GateDataset & ExperimentDataset<GateDataset['queries'][number]>;

/**
 * @throws ParallaxError of the first pipeline if none could run; what a judge throws, and if it leaves a pair
 *   unanswered; `cancelled`
 */
export async function evaluateDataset(
  all: RanDataset<AskedDataset>,
  described: EvaluatedDataset['corpus'],
  conditions: GateConditions,
  { signal, onProgress }: WorkOptions,
): Promise<EvaluatedDataset> {
  const { ran, failed } = separateFailed(all);
  const { dataset, leftOut, labels, runs } = ran;
  const { spec, judge, models } = conditions;
  const rankingsBefore = baselineRankings(conditions.baseline, dataset.name);
  if (conditions.ask && labels.judge) {
    await haveJudged(ran, rankingsBefore, conditions, signal);
    for (let repeat = 2; repeat <= (conditions.repeats ?? 1); repeat++)
      await haveJudged(
        { ...ran, labels: labels.judgedBy(conditions.repeatOf(repeat)) },
        NO_OTHERS,
        conditions,
        signal,
      );
  }
  if (conditions.ask && demandsCorrected(spec))
    await judgeLabelled(
      withRankings(figureQueries(ran), rankingsBefore),
      { k: depthOf(spec), budget: conditions.budget },
      { signal },
    );
  const detail = l10n.t`Judging ${dataset.name}`;
  const judgements = await judgementsOf(
    ran,
    { k: spec.k, others: rankingsBefore, keepsWho: conditions.lines },
    { signal, onProgress: (progress) => onProgress?.({ ...progress, detail }) },
  );
  const likenesses = await runLikenesses(ran, measuresOf(spec), { signal });
  const repeats = await storedRepeats(
    ran,
    conditions.repeatOf,
    { k: depthOf(spec), measures: measuresOf(spec).filter(isOfVerdicts), scope: 'everything' },
    { signal },
  );
  const { pairs, judged, by } = judgements.tally;
  const { name, evalSet, file, queries } = dataset;
  const unreadable = [...dataset.unreadable, ...conditions.unreadableLabels];
  const evaluated: EvaluatedDataset = {
    name,
    evalSet,
    file,
    queries,
    ...(unreadable.length > 0 ? { unreadable } : {}),
    ...(failed.length > 0 ? { failed } : {}),
    corpus: described,
    leftOut: leftOut.map(({ id }) => id),
    unanswerable: ran.unanswerable.length,
    qrels: judgements.qrels,
    lines: judgements.lines,
    judgements: { judge, pairs, judged, by },
    opinions: judgements.opinions,
    ...(repeats ? { repeats } : {}),
    // The index may be closed when this is called.
    pathOf: (passage) => judgements.nameOf(passage),
    pipelines: runs.map((pipelineRuns) => ({
      ...evaluatedPipeline(pipelineRuns, judgements, spec, models),
      likeness: likenesses.get(pipelineRuns.name),
    })),
  };
  return {
    ...evaluated,
    ...(conditions.passages ? { passages: shownPassages(evaluated, ran.index, spec.k) } : {}),
    ...(await repeated(evaluated, ran, conditions, { signal })),
  };
}

const NO_OTHERS: ReadonlyMap<string, readonly string[]> = new Map();

function shownPassages(
  { pipelines }: EvaluatedDataset,
  index: CorpusIndex,
  k: number,
): EvaluatedDataset['passages'] {
  const ids = pipelines.flatMap(({ run }) =>
    [...run.values()].flatMap((ranked) => ranked.slice(0, k).map(({ item }) => item)),
  );
  return new Map(
    [...new Set(ids)].flatMap((id) => {
      const passage = index.passageById(id);
      return passage ? [[id, { id, name: passageName(passage), text: passage.text }]] : [];
    }),
  );
}

/** Judges lost perspectives again. Empty unless repeats are required and the judge's answers may vary. */
async function repeated(
  evaluated: EvaluatedDataset,
  { index, labels }: RanDataset<AskedDataset>,
  { spec, baseline, ask, budget, service, repeatOf }: GateConditions,
  work: WorkOptions,
): Promise<Pick<EvaluatedDataset, 'repeated'>> {
  const mayFlicker = ask && labels.judge?.expense === 'paid';
  if (spec.baseline?.repeats === undefined || !baseline || !mayFlicker) return {};
  const again = { spec, baseline, index, budget, service, repeatOf };
  return { repeated: await judgeAgain(evaluated, again, work) };
}

function evaluatedPipeline(
  runs: PipelineRuns,
  judgements: CollectedJudgements,
  spec: GateSpec,
  models: GateConditions['models'],
): EvaluatedPipeline {
  const { name, pipeline, times, exact, queryErrors, searchErrors, short, certainty } = runs;
  const exactErrors = searchErrors.filter(({ search }) => search === 'exact');
  const circular = circularIn(runs, judgements);
  const cut = candidateDepth(pipeline, depthOf(spec));
  const unanswerable = unanswerableOf(runs, { queries: [], judgements, k: spec.k });
  const run = [...questionRun(runs, { judgements })].map(
    ([id, ranked]) => [id, ranked.slice(0, cut)] as const,
  );
  return {
    name,
    pipeline,
    models: modelsOf(pipeline, models),
    run: new Map(run),
    times,
    ...(exact ? { exact: judgements.named(exact) } : {}),
    ...(unanswerable ? { unanswerable } : {}),
    ...(circular === undefined ? {} : { circular }),
    ...(queryErrors.length > 0 ? { queryErrors } : {}),
    ...(exactErrors.length > 0 ? { exactErrors } : {}),
    short,
    certainty,
  };
}

/** @throws ParallaxError `model-answer` if hardly any answer could be read; as {@link askAbout} */
async function haveJudged(
  ran: RanDataset<AskedDataset>,
  rankingsBefore: ReadonlyMap<string, readonly string[]>,
  conditions: GateConditions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const reports: FigureReport[] = [];
  for (const query of figureQueries(ran))
    reports.push(await askAbout(query, rankingsBefore, conditions, { signal }));
  const unreadable = reports.reduce((sum, report) => sum + report.unreadable, 0);
  const answered = reports.reduce((sum, report) => sum + report.answered, 0);
  const reason = reports.find(({ unreadableReason }) => unreadableReason !== undefined)?.unreadableReason;
  const unread = { unreadable, answers: answered + unreadable, reason };
  if (isNoResult(unread)) throw new ParallaxError('model-answer', unreadableText(unread)!);
}

/** With the baseline's rankings, so that the judge is compared with labels there, too. */
function withRankings(
  queries: readonly FigureQuery[],
  rankingsBefore: ReadonlyMap<string, readonly string[]>,
): FigureQuery[] {
  return queries.map((figure) => ({
    ...figure,
    // Each as a separate ranking, since those of several pipelines follow each other.
    rankings: [...figure.rankings, ...slotsOf(figure, rankingsBefore).map((slot) => [slot])],
  }));
}

function slotsOf(
  { index, query }: Pick<FigureQuery, 'index' | 'query'>,
  rankingsBefore: ReadonlyMap<string, readonly string[]>,
): Slot[] {
  return (rankingsBefore.get(query.id) ?? []).flatMap((id) => index.passageById(id)?.slot ?? []);
}

/** A judge that costs something is asked only about the top that figures read, not about all candidates. */
async function askAbout(
  { rankings, ...figure }: FigureQuery,
  rankingsBefore: ReadonlyMap<string, readonly string[]>,
  { spec, judge: name, budget, keepsAnswers }: GateConditions,
  { signal }: WorkOptions,
): Promise<FigureReport> {
  const { query } = figure;
  const slotsBefore = slotsOf(figure, rankingsBefore);
  const depth = depthOf(spec);
  const looked = [...rankings.map((slots) => slots.slice(0, depth)), slotsBefore];
  const options = { cutoffs: [Math.max(depth, slotsBefore.length)], scope: 'everything' as const, budget };
  const report = await judgeFigures([{ ...figure, rankings: looked }], options, { signal });
  const { failed, stopped, error } = report;
  throwIfCancelled(signal);
  if (failed > 0)
    throw new ParallaxError(
      error?.id ?? 'model-unreachable',
      [
        counted(
          l10n.t('The judge "{0}" left {1} [1:pair|pairs] of the question "{2}" unanswered.'),
          name,
          failed,
          query.id,
        ),
        error?.message ?? '',
      ]
        .join(' ')
        .trimEnd(),
      { cause: error },
    );
  if (stopped)
    throw new ParallaxError(
      'model-unreachable',
      keepsAnswers
        ? l10n.t('The budget ran out before all pairs were judged. The answers so far are kept.')
        : l10n.t('The budget ran out before all pairs were judged. Answers are kept only with --store.'),
    );
  return report;
}

/** Everything that the baseline ranked for each query, so that its figures can be recomputed. */
function baselineRankings(baseline: Baseline | undefined, dataset: string): Map<string, string[]> {
  const rankings = new Map<string, string[]>();
  for (const { name, pipelines } of baseline?.datasets ?? [])
    if (name === dataset)
      for (const { queries } of pipelines)
        for (const { id, ranked } of queries) rankings.set(id, [...(rankings.get(id) ?? []), ...ranked]);
  return rankings;
}

/** The configurations of the models that a pipeline names. */
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
