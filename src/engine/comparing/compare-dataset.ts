/** The part of a comparison that is about one data set: measures, losses, and every query under every pipeline. */
import { coverageCurve } from '../../core/analysis/coverage-curve.ts';
import { firstRanks } from '../../core/analysis/first-ranks.ts';
import { candidateDepth, type CoverageLoss, type LossPlace } from '../../core/analysis/lost.ts';
import { coveredPerspectives } from '../../core/metrics/coverage-measures.ts';
import type { RunEvaluation } from '../../core/metrics/evaluate.ts';
import type { Basis } from '../../core/metrics/judgements.ts';
import { measureName, namesShown, parseMeasure } from '../../core/metrics/measures.ts';
import { boundsOf, isSettled, openMeans, type Bounds } from '../../core/metrics/unjudged.ts';
import type { Qrels, Run } from '../../core/model.ts';
import { mean } from '../../core/statistics/mean.ts';
import type { DatasetView, PipelineResultView, QueryResultView } from '../../shared/panels/compare.ts';
import { perspectiveMark } from '../../shared/panels/inspector.ts';
import type { Params } from '../../shared/rpc.ts';
import { Pace } from '../concurrency/pace.ts';
import { lossesOf, questionRun, scoresOf, type Analysed } from '../experiment/analyses.ts';
import { circularIn } from '../experiment/circular.ts';
import { correctedOf } from '../experiment/correction.ts';
import type { CollectedJudgements } from '../experiment/collected-judgements.ts';
import type { RanDataset } from '../experiment/experiments.ts';
import { runLikenesses, withFields } from '../experiment/run-likeness.ts';
import type { PipelineRuns } from '../experiment/pipeline-runs.ts';
import { measureViews } from './compare-measures.ts';
import { analysisViews, lossView } from './result-views.ts';

export type Dataset = Params<'compare'>['datasets'][number];

/** The names of the measures of a comparison on a corpus, with those of its fields. */
export function comparedMeasures({ index }: Pick<RanDataset, 'index'>, k: number): string[] {
  const measures = namesShown('comparisons', k).map(parseMeasure);
  return withFields(measures, index.fields.counted).map(measureName);
}

/** A pipeline's runs with everything that is read off them. */
interface Scored {
  readonly runs: PipelineRuns;
  readonly run: Run;
  readonly scores: RunEvaluation;
  /** Measures that hang on what is unjudged. */
  readonly open: Readonly<Record<string, Bounds>>;
  /** Absent for one that could not be run. */
  readonly losses: CoverageLoss | undefined;
}

/** @throws ParallaxError `cancelled` */
export async function describeDataset(
  ran: RanDataset<Dataset>,
  judgements: CollectedJudgements,
  k: number,
  signal: AbortSignal | undefined,
): Promise<DatasetView> {
  const { dataset, leftOut, runs } = ran;
  const { name, corpus, evalSet, queries } = dataset;
  const { qrels, tally } = judgements;
  const names = comparedMeasures(ran, k);
  const measures = [...names, `Judged@${k}`].map(parseMeasure);
  const likenesses = await runLikenesses(ran, measures, { signal });
  const analysed: Analysed = { queries, judgements, k, likenesses };
  const pace = new Pace({ signal });
  const scored: Scored[] = [];
  for (const own of runs) {
    const losses = own.error ? undefined : lossesOf(own, analysed);
    const run = questionRun(own, analysed);
    const open = openMeans(run, qrels, measures, judgements.basis);
    scored.push({ runs: own, run, scores: scoresOf(own, measures, analysed), open, losses });
    await pace.rest();
  }
  const views = await measureViews(
    scored.map(({ scores, open, runs: own }) =>
      own.error ? undefined : { scores, open, circular: circularIn(own, judgements) },
    ),
    names,
    judgements.basis,
    pace,
  );
  const results: PipelineResultView[] = [];
  const baseline = scored.find(({ runs: own }) => !own.error)?.runs;
  for (const [index, own] of scored.entries()) {
    results.push(pipelineResult(own, views[index]!, analysed, baseline));
    await pace.rest();
  }
  const shown: QueryResultView[] = [];
  for (const query of queries) {
    shown.push(queryResult(query, scored, qrels, { k, basis: judgements.basis }));
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
    ...(leftOut.length > 0 ? { leftOut: leftOut.map(({ id }) => id) } : {}),
  };
}

function pipelineResult(
  { runs, run, scores, losses }: Scored,
  measures: PipelineResultView['measures'],
  analysed: Analysed,
  baseline: PipelineRuns | undefined,
): PipelineResultView {
  const { name, times, search, error, queryErrors, searchErrors, short, certainty } = runs;
  if (error) return failedResult(name, error.message);
  const circular = circularIn(runs, analysed.judgements);
  const correction = correctedOf(runs, Object.keys(measures).map(parseMeasure), analysed, baseline);
  const judged = scores.mean[`Judged@${analysed.k}`];
  return {
    name,
    ...(circular === undefined ? {} : { circular }),
    measures,
    ...(correction ? { correction } : {}),
    judged: judged ?? 1,
    ...(judged === undefined ? { foundNothing: true as const } : {}),
    losses: lossView(losses!, runs),
    ...analysisViews(runs, analysed),
    coverageCurve: coverageCurve(run, analysed.judgements.qrels),
    milliseconds: mean([...times.values()]),
    search,
    ...(queryErrors.length > 0 ? { queryErrors } : {}),
    ...(searchErrors.length > 0 ? { searchErrors } : {}),
    ...(short ? { short } : {}),
    ...(certainty ? { certainty } : {}),
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

/** Coverage by the top k of all pipelines together (BERDS, Table 6). */
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
  { k, basis }: { readonly k: number; readonly basis: Basis },
): QueryResultView {
  const topic = qrels.get(id) ?? new Map<string, Map<string, number>>();
  const ranks = scored.map(({ run, runs: { resolved } }) =>
    firstRanks(run.get(id) ?? [], topic, candidateDepth(resolved, k)),
  );
  const lossIn = ({ losses }: Scored, perspective: string): LossPlace | null =>
    losses?.perQuery.get(id)?.perspectives.find((each) => each.perspectiveId === perspective)?.where ?? null;
  const measured = (family: string): number[] =>
    scored.map(({ scores }) => scores.perTopic.get(id)?.[`${family}@${k}`] ?? 0);
  const mRecallIn = (run: Run): Bounds => {
    const ranking = (run.get(id) ?? []).map(({ item }) => item);
    return boundsOf({ family: 'MRecall', k }, ranking, topic, basis);
  };
  return {
    id,
    text,
    tags: tags ?? [],
    perspectives: perspectives.map((perspective, index) => ({
      id: perspective.id,
      text: perspective.text,
      ...perspectiveMark(index),
      ranks: ranks.map((own) => own.get(perspective.id) ?? null),
      where: scored.map((own) => lossIn(own, perspective.id)),
      supportKnown: [...(topic.get(perspective.id)?.values() ?? [])].some((relevance) => relevance > 0),
    })),
    mrecall: measured('MRecall'),
    precision: measured('Precision'),
    // Where nothing was retrieved nothing is left to judge: that it covers nothing is certain.
    judged: measured('Judged').map((share, index) => (scored[index]!.run.get(id)?.length ? share : 1)),
    mayRise: scored.map(({ run }) => basis === 'open' && !isSettled(mRecallIn(run))),
  };
}
