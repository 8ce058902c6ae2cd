/** Checks that a mean over the queries reaches a threshold. */
import { correctionOf, type TwoOpinions } from '../../../core/metrics/corrected.ts';
import { correctionText } from '../../../core/metrics/corrected-text.ts';
import { exactly } from '../../../core/measured.ts';
import { TIE } from '../../../core/metrics/differences.ts';
import { parseMeasure } from '../../../core/metrics/measures.ts';
import { mean } from '../../../core/statistics/mean.ts';
import { ifAllSupport, saysNothingYet, valueOf, type EvaluatedQuery, type Scored } from './evaluated.ts';
import { isNamed } from './names.ts';
import { failingQueries, measuredIn, openQueries, outcomeOf } from './open-checks.ts';
import type { GateCheck } from './report.ts';
import type { GateSpec, Threshold } from './spec.ts';
import { correctedReason, overQueries, thresholdReason, unjudgedReason } from './wording.ts';

/** One check per threshold and pipeline it applies to, and one for the share of judged passages. */
export function thresholdChecks(all: readonly Scored[], { thresholds, judged, k }: GateSpec): GateCheck[] {
  return [
    ...all.flatMap((result) => thresholds.flatMap((threshold) => thresholdCheck(result, threshold) ?? [])),
    ...(judged ? all.map((result) => judgedCheck(result, k, judged.min)) : []),
  ];
}

/** @returns `undefined` if the threshold is for another pipeline or eval set, or no query has its tag */
function thresholdCheck(
  result: Scored,
  { metric, min, pipeline, dataset, tag, corrected = false }: Threshold,
): GateCheck | undefined {
  if (pipeline !== undefined && pipeline !== result.pipeline.name) return undefined;
  if (dataset !== undefined && !isNamed(result.dataset, dataset)) return undefined;
  const queries = result.dataset.queries.filter(({ tags }) => tag === undefined || tags?.includes(tag));
  if (queries.length === 0) return undefined;
  const over = overQueries(queries.length, tag);
  const check = shareCheck(result, queries, { metric, min, over });
  const { opinions } = result.dataset;
  return {
    kind: 'threshold',
    ...(corrected && opinions ? correctedCheck(check, { result, queries, min, opinions }) : check),
    ...(tag === undefined ? {} : { tag }),
  };
}

/** Passes if the whole interval reaches the minimum. If the interval contains the minimum, labels do not decide. */
function correctedCheck(
  check: Omit<GateCheck, 'kind'>,
  {
    result: { pipeline },
    queries,
    min,
    opinions,
  }: {
    readonly result: Scored;
    readonly queries: readonly EvaluatedQuery[];
    readonly min: number;
    readonly opinions: TwoOpinions;
  },
): Omit<GateCheck, 'kind'> {
  const annotators = new Map(queries.map(({ id }) => [id, opinions.annotators.get(id)!]));
  const correction = correctionOf(pipeline.run, [parseMeasure(check.metric)], {
    ...opinions,
    annotators,
  });
  const figure = correction.figures[check.metric];
  const note = correctionText(correction);
  if (!figure) return { ...check, outcome: 'undecided', reason: note, failing: [] };
  const reached = figure.low >= min - TIE;
  const outcome = reached ? 'passed' : figure.high < min - TIE ? 'missed' : 'undecided';
  return {
    ...check,
    ...exactly(figure.value),
    most: undefined,
    corrected: { counted: check.value, low: figure.low, high: figure.high },
    outcome,
    reason: correctedReason(check.metric, { ...figure, min, counted: check.value, outcome }, note),
    failing: outcome === 'missed' ? check.failing : [],
  };
}

function judgedCheck(result: Scored, k: number, min: number): GateCheck {
  const { queries } = result.dataset;
  const over = overQueries(queries.length, undefined);
  return { kind: 'judged', ...shareCheck(result, queries, { metric: `Judged@${k}`, min, over }) };
}

/** Decided if the outcome is the same with none and with all unjudged passages supporting. */
function shareCheck(
  result: Scored,
  queries: readonly EvaluatedQuery[],
  { metric, min, over }: { readonly metric: string; readonly min: number; readonly over: string },
): Omit<GateCheck, 'kind'> {
  const { dataset, pipeline, scores } = result;
  const values = queries.map(({ id }) => ({
    id,
    value: valueOf(scores, id, metric),
    most: ifAllSupport(result, id, metric),
  }));
  const value = mean(values.map((each) => each.value));
  const most = mean(values.map((each) => each.most));
  const isBelow = (share: number): boolean => share < min - TIE;
  const outcome = outcomeOf(isBelow(value), isBelow(most));
  const saysNothing = outcome === 'undecided' && saysNothingYet(dataset, metric);
  const open = openQueries(outcome, values, isBelow);
  return {
    dataset: dataset.name,
    pipeline: pipeline.name,
    metric,
    ...measuredIn(metric, value, most),
    queries: queries.length,
    min,
    outcome,
    reason: saysNothing
      ? unjudgedReason(metric)
      : thresholdReason(metric, { value, most, min, outcome, ...open }, over),
    failing: outcome === 'missed' ? failingQueries(values, isBelow) : [],
    ...open,
  };
}
