/** What a comparison says about one data set: measures, losses, and every query under every pipeline. */
import { coverageCurve } from '../../core/analysis/coverage-curve.ts';
import { firstRanks } from '../../core/analysis/first-ranks.ts';
import { coveredPerspectives } from '../../core/metrics/coverage-measures.ts';
import { evaluateRun, type RunEvaluation } from '../../core/metrics/evaluate.ts';
import { namesShown, parseMeasure } from '../../core/metrics/measures.ts';
import type { Qrels, Run } from '../../core/model.ts';
import type { DatasetView, PipelineResultView, QueryResultView } from '../../shared/compare.ts';
import { perspectiveMark } from '../../shared/inspector.ts';
import type { Params } from '../../shared/rpc.ts';
import { Pace } from '../concurrency/pace.ts';
import { groupViews, lossView, setSizeView, sideViews, type Analysed } from '../experiment/analyses.ts';
import type { CompareJudgements } from '../experiment/collected-judgements.ts';
import { measureViews } from './compare-measures.ts';
import { depthFor, type NamedPipeline, type PipelineRuns } from '../experiment/pipeline-runs.ts';

export type Dataset = Params<'compare'>['datasets'][number];

/** The names of the measures of a comparison. */
export function comparedMeasures(k: number): string[] {
  return namesShown('comparisons', k);
}

export interface ComparedDataset {
  readonly dataset: Dataset;
  readonly pipelines: readonly NamedPipeline[];
  /** In the order of the pipelines. */
  readonly runs: readonly PipelineRuns[];
  readonly judgements: CompareJudgements;
  readonly k: number;
}

/** A pipeline's runs with everything that is read off them. */
interface Scored {
  readonly name: string;
  readonly runs: PipelineRuns;
  readonly run: Run;
  readonly scores: RunEvaluation;
}

/** @throws ParallaxError `cancelled` */
export async function describeDataset(
  { dataset, pipelines, runs, judgements, k }: ComparedDataset,
  signal: AbortSignal | undefined,
): Promise<DatasetView> {
  const { name, corpus, evalSet, queries } = dataset;
  const { qrels, sources } = judgements;
  const measures = [...comparedMeasures(k), `Judged@${k}`].map(parseMeasure);
  const pace = new Pace({ signal });
  const scored: Scored[] = [];
  for (const [index, own] of runs.entries()) {
    const run = judgements.named(own.questions);
    scored.push({ name: pipelines[index]!.name, runs: own, run, scores: evaluateRun(run, qrels, measures) });
    await pace.rest();
  }
  const views = await measureViews(
    scored.map(({ scores, runs: { error } }) => (error === undefined ? scores : undefined)),
    comparedMeasures(k),
    pace,
  );
  const results: PipelineResultView[] = [];
  for (const [index, own] of scored.entries()) {
    results.push(pipelineResult(own, views[index]!, { queries, judgements, k }));
    await pace.rest();
  }
  const shown: QueryResultView[] = [];
  for (const query of queries) {
    shown.push(queryResult(query, scored, qrels, k));
    if (pace.due) await pace.rest();
  }
  return {
    name,
    corpus,
    evalSet,
    sources,
    pipelines: results,
    union: unionOf(scored, qrels, k),
    queries: shown,
  };
}

function pipelineResult(
  { name, runs, run, scores }: Scored,
  measures: PipelineResultView['measures'],
  analysed: Analysed,
): PipelineResultView {
  const { milliseconds, search, error } = runs;
  if (error !== undefined) return failedResult(name, error);
  return {
    name,
    measures,
    judged: scores.mean[`Judged@${analysed.k}`] ?? 0,
    losses: lossView(run, runs, analysed),
    setSize: setSizeView(run, analysed),
    ...sideViews(run, runs, analysed),
    ...groupViews(run, runs, analysed),
    coverageCurve: coverageCurve(run, analysed.judgements.qrels),
    milliseconds,
    search,
  };
}

/** A pipeline that could not be run found nothing and lost nothing. */
function failedResult(name: string, error: string): PipelineResultView {
  return {
    name,
    measures: {},
    judged: 0,
    losses: { covered: 0, belowK: 0, notRetrieved: 0, unjudged: 0, notInCorpus: 0 },
    setSize: { coveredShare: 0 },
    groups: [],
    coverageCurve: [],
    milliseconds: 0,
    search: 'exact',
    error,
  };
}

/** What all pipelines' top k cover together (BERDS, Table 6). */
function unionOf(scored: readonly Scored[], qrels: Qrels, k: number): DatasetView['union'] {
  let perspectives = 0;
  let covered = 0;
  let whole = 0;
  for (const [query, topic] of qrels) {
    const top = scored.flatMap(({ run }) => run.get(query)?.slice(0, k) ?? []).map(({ item }) => item);
    const found = coveredPerspectives(top, topic, top.length).length;
    perspectives += topic.size;
    covered += found;
    if (found === topic.size) whole++;
  }
  return { perspectives: covered / perspectives, queries: whole / qrels.size };
}

function queryResult(
  { id, text, tags, perspectives }: Dataset['queries'][number],
  scored: readonly Scored[],
  qrels: Qrels,
  k: number,
): QueryResultView {
  const topic = qrels.get(id) ?? new Map<string, Map<string, number>>();
  const ranks = scored.map(({ run }) => firstRanks(run.get(id) ?? [], topic, depthFor(k)));
  const measured = (family: string): number[] =>
    scored.map(({ scores }) => scores.perTopic.get(id)?.[`${family}@${k}`] ?? 0);
  return {
    id,
    text,
    tags: tags ?? [],
    perspectives: perspectives.map((perspective, index) => ({
      id: perspective.id,
      text: perspective.text,
      ...perspectiveMark(index),
      ranks: ranks.map((own) => own.get(perspective.id) ?? null),
      supportKnown: [...(topic.get(perspective.id)?.values() ?? [])].some((relevance) => relevance > 0),
    })),
    mrecall: measured('MRecall'),
    precision: measured('Precision'),
    judged: measured('Judged'),
  };
}
