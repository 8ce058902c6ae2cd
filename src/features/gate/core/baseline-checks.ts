/** Checks an evaluation against a baseline. */
import { circularAmong } from '../../../core/metrics/circular.ts';
import { correctedDifference } from '../../../core/metrics/corrected.ts';
import { correctionText } from '../../../core/metrics/corrected-text.ts';
import type { Correction } from '../../../core/metrics/correction.ts';
import { TIE } from '../../../core/metrics/differences.ts';
import { exactly } from '../../../core/measured.ts';
import { parseMeasure } from '../../../core/metrics/measures.ts';
import type { Run } from '../../../core/model.ts';
import { holm } from '../../../core/statistics/adjust.ts';
import type { Baseline, BaselinePipeline } from './baseline.ts';
import { compareWithBaseline, findInBaseline, type MetricComparison } from './compare-baseline.ts';
import { saysNothingYet, type Scored } from './evaluated.ts';
import { failingQueries, measuredIn, openQueries, outcomeOf } from './open-checks.ts';
import { withoutPaired, withPaired, type FlatDifference } from './flat-difference.ts';
import type { CheckOutcome, GateCheck } from './report.ts';
import { baselineMetrics, type BaselineSpec, type GateSpec } from './spec.ts';
import {
  baselineReason,
  boundReason,
  circularReason,
  corpusChangedReason,
  correctedBaselineReason,
  unjudgedReason,
  withRemedy,
} from './wording.ts';

/** The comparison of one metric of a pipeline, or why there is none. */
interface Compared {
  readonly result: Scored;
  readonly metric: string;
  readonly comparison: MetricComparison | string;
  /** The judge because of which the difference is not tested. */
  readonly circular?: string | undefined;
  /** The difference without the judge's errors, if the gate demands it. */
  readonly correction?: Correction | undefined;
}

/**
 * A loss beyond the tolerance is missed if a test confirms it both with none and with all unjudged passages supporting.
 * If that makes a difference, the check is undecided. It is also undecided if there is no comparison or a ranking is
 * circular.
 */
export function baselineChecks(
  all: readonly Scored[],
  spec: GateSpec,
  baselineSpec: BaselineSpec,
  baseline: Baseline,
): GateCheck[] {
  const compared = all.flatMap((result) => compareAll(result, spec, baseline));
  const tested = compared.flatMap(({ comparison, circular, correction }) =>
    typeof comparison === 'string' || circular !== undefined || correction ? [] : comparison,
  );
  const corrected = correctedP(tested, ({ p }) => p);
  const ifAllSupport = correctedP(tested, (comparison) => comparison.ifAllSupport.p);
  return compared.map(({ result, metric, comparison, circular, correction }) => {
    if (typeof comparison === 'string') return undecidedCheck(result, metric, comparison);
    // The correction removes the judge's errors, so they do not count as gains.
    if (correction) return correctedCheck(result, comparison, correction, baselineSpec);
    return circular === undefined
      ? baselineCheck(
          result,
          comparison,
          [corrected.get(comparison)!, ifAllSupport.get(comparison)!],
          baselineSpec,
        )
      : untestedCheck(result, comparison, circular, baselineSpec);
  });
}

/** Holm-corrected p-values. All tested comparisons are one family. */
function correctedP(
  tested: readonly MetricComparison[],
  pOf: (comparison: MetricComparison) => number,
): Map<MetricComparison, number> {
  return new Map(holm(tested.map(pOf)).map((p, place) => [tested[place]!, p]));
}

function compareAll(result: Scored, spec: GateSpec, baseline: Baseline): Compared[] {
  const metrics = baselineMetrics(spec);
  const then = findInBaseline(baseline, result);
  if (typeof then === 'string')
    return metrics.map((metric) => ({ result, metric, comparison: withRemedy(then) }));
  return [...compareWithBaseline(result, then, metrics)].map(([metric, comparison]) => ({
    result,
    metric,
    comparison: comparisonOr(result, metric, comparison),
    circular: circularAmong(result.pipeline, then.pipeline),
    correction: spec.baseline?.corrected ? correctionFor(result, then.pipeline, metric) : undefined,
  }));
}

/** Applies today's judgements to the baseline's rankings. `undefined` if no judge counts. */
function correctionFor(
  { dataset, pipeline }: Scored,
  then: BaselinePipeline,
  metric: string,
): Correction | undefined {
  const { opinions } = dataset;
  if (!opinions) return undefined;
  const before: Run = new Map(
    then.queries.map(({ id, ranked }) => [id, ranked.map((item, place) => ({ item, score: -place }))]),
  );
  return correctedDifference(pipeline.run, before, parseMeasure(metric), opinions);
}

function comparisonOr(
  result: Scored,
  metric: string,
  comparison: MetricComparison | string,
): Compared['comparison'] {
  if (saysNothingYet(result.dataset, metric)) return unjudgedReason(metric);
  return typeof comparison === 'string' ? withRemedy(comparison) : comparison;
}

function undecidedCheck(result: Scored, metric: string, why: string): GateCheck {
  const { dataset, pipeline, scores } = result;
  return {
    kind: 'baseline',
    dataset: dataset.name,
    pipeline: pipeline.name,
    metric,
    outcome: 'undecided',
    ...(result.measured.means[metric] ?? exactly(scores.mean[metric]!)),
    queries: scores.perTopic.size,
    reason: why,
    failing: [],
  };
}

/** @param pValues of the difference as counted, and of the difference if all unjudged passages supported */
function baselineCheck(
  { dataset, pipeline }: Scored,
  comparison: MetricComparison,
  [p, pIfAll]: readonly [number, number],
  spec: BaselineSpec,
): GateCheck {
  const { metric, now, queries, difference, perQuery, isWorse, ifAllSupport } = comparison;
  const isLoss = (by: number, chance: number): boolean => by < -spec.tolerance - TIE && chance <= spec.alpha;
  const [missed, missedIfAll] = [isLoss(difference, p), isLoss(ifAllSupport.difference, pIfAll)];
  const measured = measuredIn(metric, now, ifAllSupport.now);
  const isExact = measured.bound === 'exact';
  const outcome = isExact
    ? outcomeOf(missed, missed)
    : boundOutcome([missed, missedIfAll], [difference, ifAllSupport.difference], spec);
  const baseline = { ...differenceOf(comparison, spec), p };
  const open = openQueries(outcome, perQuery, isWorse);
  return {
    kind: 'baseline',
    dataset: dataset.name,
    pipeline: pipeline.name,
    metric,
    outcome,
    ...measured,
    queries,
    baseline: isExact ? withPaired(baseline) : withoutPaired(baseline),
    reason: isExact
      ? baselineReason(metric, missed, baseline)
      : boundReason(metric, outcome, { ...measured, then: baseline.value, ...open }),
    failing: outcome === 'missed' ? failingQueries(perQuery, isWorse) : [],
    ...open,
  };
}

/**
 * A test without a finding does not settle a value that may still change. It passes only if neither the value nor its
 * bound is a loss beyond the tolerance.
 *
 * @param missed by the value, and by the value if all unjudged passages supported
 * @param differences of both to the baseline
 */
function boundOutcome(
  missed: readonly [boolean, boolean],
  differences: readonly [number, number],
  { tolerance }: BaselineSpec,
): CheckOutcome {
  if (missed.every(Boolean)) return 'missed';
  return Math.min(...differences) >= -tolerance - TIE ? 'passed' : 'undecided';
}

/** Missed if the whole interval is a loss beyond the tolerance. Undecided without enough labels. */
function correctedCheck(
  result: Scored,
  comparison: MetricComparison,
  correction: Correction,
  spec: BaselineSpec,
): GateCheck {
  const { metric, now, queries, difference: counted, perQuery, isWorse } = comparison;
  const about = { ...measuredIn(metric, now, comparison.ifAllSupport.now), queries };
  if (comparison.attribution.changes.includes('corpus'))
    return { ...undecidedCheck(result, metric, withRemedy(corpusChangedReason(metric))), ...about };
  const corrected = correction.figures[metric];
  const note = correctionText(correction);
  if (!corrected) return { ...undecidedCheck(result, metric, note), ...about };
  const { value: difference, low, high } = corrected;
  const missed = high < -spec.tolerance - TIE;
  const baseline = { ...differenceOf(comparison, spec), difference, low, high, counted };
  return {
    ...undecidedCheck(result, metric, correctedBaselineReason(metric, missed, baseline, note)),
    ...about,
    outcome: missed ? 'missed' : 'passed',
    baseline: withPaired(baseline),
    failing: missed ? failingQueries(perQuery, isWorse) : [],
  };
}

/** In a circular ranking the judge's errors count as gains, so the check is undecided. */
function untestedCheck(
  result: Scored,
  comparison: MetricComparison,
  judge: string,
  spec: BaselineSpec,
): GateCheck {
  const { metric, now, queries } = comparison;
  const baseline = differenceOf(comparison, spec);
  const measured = measuredIn(metric, now, comparison.ifAllSupport.now);
  return {
    ...undecidedCheck(result, metric, circularReason(metric, judge, baseline, measured)),
    ...measured,
    queries,
    baseline: measured.bound === 'exact' ? withPaired(baseline) : withoutPaired(baseline),
  };
}

function differenceOf(comparison: MetricComparison, { alpha, tolerance }: BaselineSpec): FlatDifference {
  const { then, difference, low, high, wins, losses, ties, queries, attribution } = comparison;
  return { value: then, difference, low, high, wins, losses, ties, queries, alpha, tolerance, attribution };
}
