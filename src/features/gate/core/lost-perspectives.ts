/** Checks how many perspectives are lost that the baseline covered. A mean may hide them. */
import { exactly, type Measured } from '../../../core/measured.ts';
import { circularAmong } from '../../../core/metrics/circular.ts';
import type { Baseline, BaselinePipeline } from './baseline.ts';
import { findInBaseline } from './compare-baseline.ts';
import { saysNothingYet, type Scored } from './evaluated.ts';
import { queriesWhere } from './lost-since.ts';
import type { GateCheck } from './report.ts';
import type { GateSpec } from './spec.ts';
import {
  circularLossReason,
  lostPerspectivesReason,
  nothingShared,
  unjudgedReason,
  withRemedy,
} from './wording.ts';

/** One check per pipeline. Empty if the gate does not limit lost perspectives. */
export function lostPerspectiveChecks(
  all: readonly Scored[],
  spec: GateSpec,
  baseline: Baseline,
): GateCheck[] {
  const { lostPerspectives: most } = spec.baseline ?? {};
  return most === undefined ? [] : all.map((result) => lostCheck(result, most, spec, baseline));
}

function lostCheck(result: Scored, most: number, spec: GateSpec, baseline: Baseline): GateCheck {
  const then = findInBaseline(baseline, result);
  const metric = `MRecall@${spec.k}`;
  if (typeof then === 'string') return checkOf(result, metric, most, NONE, withRemedy(then));
  const losses = lossesSince(result, then.pipeline, spec);
  const circular = circularAmong(result.pipeline, then.pipeline);
  if (saysNothingYet(result.dataset, metric))
    return checkOf(result, metric, most, losses, unjudgedReason(metric));
  if (circular !== undefined) return checkOf(result, metric, most, losses, circularLossReason(circular));
  if (losses.queries === 0)
    return checkOf(result, metric, most, losses, withRemedy(nothingShared(result.dataset.name)));
  const isMissed = losses.lost.length > most;
  // With unjudged passages, more perspectives may be lost.
  const isOpen = !isMissed && losses.lost.length + losses.unjudged > most;
  const counts = { count: losses.lost.length, most, unjudged: losses.unjudged };
  return {
    ...checkOf(result, metric, most, losses, lostPerspectivesReason(counts, losses.covered, isOpen)),
    outcome: isMissed ? 'missed' : isOpen ? 'undecided' : 'passed',
    failing: isMissed ? [...new Set(losses.lost)] : [],
  };
}

/** Losses of the queries that are the same as in the baseline. */
interface Losses {
  readonly queries: number;
  /** The number of perspectives that the baseline covered. */
  readonly covered: number;
  /** The query of each lost perspective. */
  readonly lost: readonly string[];
  /** How many more are lost if no unjudged passage supports them. */
  readonly unjudged: number;
}

const NONE: Losses = { queries: 0, covered: 0, lost: [], unjudged: 0 };

function lossesSince(result: Scored, then: BaselinePipeline, spec: GateSpec): Losses {
  const before = new Map(then.queries.map((query) => [query.id, query]));
  const shared = result.dataset.queries.filter(({ id, digest }) => before.get(id)?.digest === digest);
  return {
    queries: shared.length,
    covered: shared.reduce((sum, { id, perspectives }) => {
      const lost = new Set(before.get(id)!.lost.map(({ perspective }) => perspective));
      return sum + perspectives.filter((each) => !lost.has(each.id)).length;
    }, 0),
    lost: queriesWhere('lost', result, then, spec),
    unjudged: queriesWhere('unjudged', result, then, spec).length,
  };
}

/** The share of the baseline's covered perspectives that are still covered. With unjudged passages it may be lower. */
function atLeastLost(covered: number, lost: number, unjudged: number): Measured {
  const value = covered === 0 ? 1 : 1 - lost / covered;
  return unjudged > 0 ? { value, bound: 'open' } : exactly(value);
}

/** An undecided check with its reason. */
function checkOf(
  { dataset, pipeline }: Scored,
  metric: string,
  most: number,
  { queries, covered, lost, unjudged }: Losses,
  reason: string,
): GateCheck {
  return {
    kind: 'perspectives',
    dataset: dataset.name,
    pipeline: pipeline.name,
    metric,
    outcome: 'undecided',
    ...atLeastLost(covered, lost.length, unjudged),
    queries,
    lost: { count: lost.length, most, ...(unjudged > 0 ? { unjudged } : {}) },
    reason,
    failing: [],
  };
}
