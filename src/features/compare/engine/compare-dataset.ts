/** The part of a comparison about one data set: measures, losses, and every query under every pipeline. */
import { coverageCurves } from '../../../core/analysis/coverage-curve.ts';
import type { CoverageLoss } from '../../../core/analysis/lost.ts';
import { PLACES, type PerspectiveState } from '../../../core/coverage-states.ts';
import { exactly } from '../../../core/measured.ts';
import { coveredPerspectives } from '../../../core/metrics/coverage-measures.ts';
import type { RunEvaluation } from '../../../core/metrics/evaluate.ts';
import { measureName, namesShown, parseMeasure } from '../../../core/metrics/measures.ts';
import { judgedByShare } from '../../../core/metrics/differences.ts';
import { measuredRun, type MeasuredRun } from '../../../core/metrics/unjudged.ts';
import type { Qrels, Run } from '../../../core/model.ts';
import { mean } from '../../../core/statistics/mean.ts';
import type {
  DatasetEvaluation,
  PipelineEvaluation,
  PlaceCounts,
  QueryEvaluation,
} from '../../../evaluation/evaluation.ts';
import { perspectiveMark } from '../../inspector/contract/panel.ts';
import type { Params } from '../../../shared/rpc.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import {
  lossesOf,
  questionRun,
  scoresOf,
  unanswerableOf,
  type Analysed,
} from '../../../engine/experiment/analyses.ts';
import { circularIn } from '../../../engine/experiment/circular.ts';
import { correctedOf } from '../../../engine/experiment/correction.ts';
import type { CollectedJudgements } from '../../../engine/experiment/collected-judgements.ts';
import type { RanDataset } from '../../../engine/experiment/experiments.ts';
import { runLikenesses, withFields } from '../../../engine/experiment/run-likeness.ts';
import type { PipelineRuns } from '../../../engine/experiment/pipeline-runs.ts';
import { measureViews } from './compare-measures.ts';
import { analysisViews } from './result-views.ts';

export type Dataset = Params<'compare'>['datasets'][number];

/** The names of the measures of a comparison on a corpus, including those of its fields. */
export function comparedMeasures({ index }: Pick<RanDataset, 'index'>, k: number): string[] {
  const measures = namesShown('comparisons', k).map(parseMeasure);
  return withFields(measures, index.fields.counted).map(measureName);
}

/** A pipeline's runs with the results computed from them. */
interface Scored {
  readonly runs: PipelineRuns;
  readonly run: Run;
  readonly scores: RunEvaluation;
  readonly measured: MeasuredRun;
  readonly judgedName: string;
  /** `undefined` for a pipeline that failed. */
  readonly losses: CoverageLoss | undefined;
}

/** @throws ParallaxError `cancelled` */
export async function describeDataset(
  ran: RanDataset<Dataset>,
  judgements: CollectedJudgements,
  k: number,
  signal: AbortSignal | undefined,
): Promise<DatasetEvaluation> {
  const { dataset, leftOut, runs } = ran;
  const { name, corpus, evalSet, queries } = dataset;
  const { qrels, tally } = judgements;
  const names = comparedMeasures(ran, k);
  const judgedName = `Judged@${k}`;
  const measures = [...names, judgedName].map(parseMeasure);
  const likenesses = await runLikenesses(ran, measures, { signal });
  const analysed: Analysed = { queries, judgements, k, likenesses };
  const pace = new Pace({ signal });
  const scored: Scored[] = [];
  for (const pipelineRuns of runs) {
    const losses = pipelineRuns.error ? undefined : lossesOf(pipelineRuns, analysed);
    const run = questionRun(pipelineRuns, analysed);
    const scores = scoresOf(pipelineRuns, measures, analysed);
    const measured = measuredRun(scores, run, qrels, judgements.basis);
    scored.push({ runs: pipelineRuns, run, scores, measured, judgedName, losses });
    await pace.rest();
  }
  const views = await measureViews(
    scored.map(({ scores, measured, runs: pipelineRuns }) =>
      pipelineRuns.error
        ? undefined
        : {
            scores,
            measured,
            circular: circularIn(pipelineRuns, judgements),
            isJudged: judgedByShare(scores),
          },
    ),
    names,
    pace,
  );
  const results: PipelineEvaluation[] = [];
  const baseline = scored.find(({ runs: pipelineRuns }) => !pipelineRuns.error)?.runs;
  for (const [index, entry] of scored.entries()) {
    results.push(pipelineResult(entry, views[index]!, analysed, baseline));
    await pace.rest();
  }
  const shown: QueryEvaluation[] = [];
  for (const query of queries) {
    shown.push(queryResult(query, scored, qrels, [`MRecall@${k}`, `Precision@${k}`]));
    if (pace.due) await pace.rest();
  }
  return {
    name,
    corpus,
    evalSet,
    basis: judgements.basis,
    sources: tally.by,
    pipelines: results,
    union: unionOf(scored, qrels, k),
    queries: shown,
    leftOut: leftOut.map(({ id }) => id),
  };
}

function pipelineResult(
  { runs, run, scores, losses }: Scored,
  measures: PipelineEvaluation['measures'],
  analysed: Analysed,
  baseline: PipelineRuns | undefined,
): PipelineEvaluation {
  const { name, times, search, error, queryErrors, searchErrors, short, certainty, cutShort } = runs;
  if (error) return failedResult(name, error.message);
  const circular = circularIn(runs, analysed.judgements);
  const correction = correctedOf(runs, Object.keys(measures).map(parseMeasure), analysed, baseline);
  const judged = scores.mean[`Judged@${analysed.k}`];
  const unanswerable = unanswerableOf(runs, analysed);
  const curves = coverageCurves(run, analysed.judgements.qrels, analysed.judgements);
  return {
    name,
    ...(circular === undefined ? {} : { circular }),
    measures,
    ...(correction ? { correction } : {}),
    ...(unanswerable ? { unanswerable } : {}),
    judged: judged ?? 1,
    ...(judged === undefined ? { foundNothing: true as const } : {}),
    places: losses!.perspectives,
    open: losses!.open,
    comparedWithExact: runs.exact !== undefined,
    ...analysisViews(runs, analysed),
    coverageCurve: curves.mrecall,
    strecallCurve: curves.strecall,
    milliseconds: mean([...times.values()]),
    search,
    queryErrors,
    searchErrors,
    ...(short ? { short } : {}),
    ...(certainty ? { certainty } : {}),
    ...(cutShort ? { cutShort } : {}),
  };
}

/** A pipeline that failed found nothing and lost nothing. */
function failedResult(name: string, error: string): PipelineEvaluation {
  return {
    name,
    measures: {},
    judged: 0,
    places: NOWHERE,
    open: NOWHERE,
    comparedWithExact: false,
    groups: [],
    tooLittleJudged: [],
    coverageCurve: [],
    milliseconds: 0,
    search: 'exact',
    error,
    queryErrors: [],
    searchErrors: [],
  };
}

const NOWHERE = Object.fromEntries(PLACES.map((place) => [place, 0])) as PlaceCounts;

/** Coverage by the top k of all pipelines together (BERDS, Table 6). */
function unionOf(scored: readonly Scored[], qrels: Qrels, k: number): DatasetEvaluation['union'] {
  let perspectives = 0;
  let covered = 0;
  let whole = 0;
  for (const [query, topic] of qrels) {
    const top = scored.flatMap(({ run }) => run.get(query)?.slice(0, k) ?? []).map(({ item }) => item);
    const count = coveredPerspectives(top, topic, top.length).length;
    perspectives += topic.size;
    covered += count;
    if (count === topic.size) whole++;
  }
  return { perspectives: covered / perspectives, queries: whole / qrels.size };
}

function queryResult(
  { id, text, tags, perspectives }: Dataset['queries'][number],
  scored: readonly Scored[],
  qrels: Qrels,
  shown: readonly string[],
): QueryEvaluation {
  const topic = qrels.get(id) ?? new Map<string, Map<string, number>>();
  const stateIn = ({ losses }: Scored, perspective: string): PerspectiveState | null =>
    losses?.perQuery.get(id)?.perspectives.find((each) => each.perspectiveId === perspective) ?? null;
  return {
    id,
    text,
    tags: tags ?? [],
    perspectives: perspectives.map((perspective, index) => ({
      id: perspective.id,
      text: perspective.text,
      ...perspectiveMark(index),
      states: scored.map((entry) => stateIn(entry, perspective.id)),
      supportKnown: [...(topic.get(perspective.id)?.values() ?? [])].some((relevance) => relevance > 0),
    })),
    results: scored.map((entry) => (entry.runs.error ? null : resultOf(id, entry, shown))),
  };
}

/** @param shown names of the measures of single queries */
function resultOf(
  id: string,
  { run, measured, judgedName }: Scored,
  shown: readonly string[],
): NonNullable<QueryEvaluation['results'][number]> {
  const values = measured.perQuery.get(id) ?? {};
  return {
    measures: Object.fromEntries(shown.map((name) => [name, values[name] ?? exactly(0)])),
    // If nothing was retrieved, nothing is left to judge, and it certainly covers nothing.
    judged: run.get(id)?.length ? (values[judgedName]?.value ?? 0) : 1,
  };
}
