/** Checks what was evaluated against a baseline. */
import * as l10n from '@vscode/l10n';
import { circularAmong } from '../metrics/circular.ts';
import { TIE } from '../metrics/differences.ts';
import { holm } from '../statistics/adjust.ts';
import type { Baseline } from './baseline.ts';
import { compareWithBaseline, findInBaseline, type MetricComparison } from './compare-baseline.ts';
import { saysNothingYet, type Scored } from './evaluated.ts';
import type { BaselineDifference, GateCheck } from './report.ts';
import { baselineMetrics, type BaselineSpec, type GateSpec } from './spec.ts';
import { baselineReason, circularReason, unjudgedReason } from './wording.ts';

/** A comparison, or why there is none, with the pipeline that it is about. */
interface Compared {
  readonly own: Scored;
  readonly metric: string;
  readonly found: MetricComparison | string;
  /** The judge because of which it is not tested. */
  readonly circular?: string | undefined;
}

/**
 * Losses beyond the tolerance are missed where a test bears them out; a comparison that cannot be made is unknown, and so
 * is one that a judge's own ranking is part of.
 */
export function baselineChecks(
  all: readonly Scored[],
  spec: GateSpec,
  baselineSpec: BaselineSpec,
  baseline: Baseline,
): GateCheck[] {
  const compared = all.flatMap((own) => compareAll(own, spec, baseline));
  const tested = compared.flatMap(({ found, circular }) =>
    typeof found === 'string' || circular !== undefined ? [] : found,
  );
  const corrected = new Map(holm(tested.map(({ p }) => p)).map((p, place) => [tested[place]!, p]));
  return compared.map(({ own, metric, found, circular }) =>
    typeof found === 'string'
      ? unknownCheck(own, metric, found)
      : circular === undefined
        ? baselineCheck(own, found, corrected.get(found)!, baselineSpec)
        : untestedCheck(own, found, circular, baselineSpec),
  );
}

function compareAll(own: Scored, spec: GateSpec, baseline: Baseline): Compared[] {
  const metrics = baselineMetrics(spec);
  const then = findInBaseline(baseline, own);
  if (typeof then === 'string') return metrics.map((metric) => ({ own, metric, found: withRemedy(then) }));
  return [...compareWithBaseline(own, then, metrics)].map(([metric, found]) => ({
    own,
    metric,
    found: foundOr(own, metric, found),
    circular: circularAmong(own.pipeline, then.pipeline),
  }));
}

function foundOr(own: Scored, metric: string, found: MetricComparison | string): Compared['found'] {
  if (saysNothingYet(own.dataset, metric)) return unjudgedReason(metric);
  return typeof found === 'string' ? withRemedy(found) : found;
}

const withRemedy = (why: string): string =>
  `${why} ${l10n.t('Accept a new baseline: parallax gate --accept.')}`;

function unknownCheck({ dataset, pipeline, scores }: Scored, metric: string, why: string): GateCheck {
  return {
    kind: 'baseline',
    dataset: dataset.name,
    pipeline: pipeline.name,
    metric,
    outcome: 'unknown',
    value: scores.mean[metric]!,
    queries: scores.perTopic.size,
    reason: why,
    failing: [],
  };
}

function baselineCheck(
  { dataset, pipeline }: Scored,
  found: MetricComparison,
  p: number,
  spec: BaselineSpec,
): GateCheck {
  const { metric, now, queries, difference, worse } = found;
  const missed = difference < -spec.tolerance - TIE && p <= spec.alpha;
  const baseline = { ...differenceOf(found, spec), p };
  return {
    kind: 'baseline',
    dataset: dataset.name,
    pipeline: pipeline.name,
    metric,
    outcome: missed ? 'missed' : 'passed',
    value: now,
    queries,
    baseline,
    reason: baselineReason(metric, missed, baseline),
    failing: missed ? worse : [],
  };
}

/** A judge's errors count as gains in a ranking that it made: neither a loss nor its absence can be told. */
function untestedCheck(own: Scored, found: MetricComparison, judge: string, spec: BaselineSpec): GateCheck {
  const { metric, now, queries } = found;
  const baseline = differenceOf(found, spec);
  return {
    ...unknownCheck(own, metric, circularReason(metric, judge, baseline)),
    value: now,
    queries,
    baseline,
  };
}

function differenceOf(
  found: MetricComparison,
  { alpha, tolerance }: BaselineSpec,
): Omit<BaselineDifference, 'p'> {
  const { then, difference, low, high, wins, losses, ties, queries, attribution } = found;
  return { value: then, difference, low, high, wins, losses, ties, queries, alpha, tolerance, attribution };
}
