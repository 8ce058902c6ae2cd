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
  return most === undefined ? [] : all.map((own) => lostCheck(own, most, spec, baseline));
}

function lostCheck(own: Scored, most: number, spec: GateSpec, baseline: Baseline): GateCheck {
  const then = findInBaseline(baseline, own);
  const metric = `MRecall@${spec.k}`;
  if (typeof then === 'string') return checkOf(own, metric, most, NONE, withRemedy(then));
  const found = lossesSince(own, then.pipeline, spec);
  const circular = circularAmong(own.pipeline, then.pipeline);
  if (saysNothingYet(own.dataset, metric)) return checkOf(own, metric, most, found, unjudgedReason(metric));
  if (circular !== undefined) return checkOf(own, metric, most, found, circularLossReason(circular));
  if (found.queries === 0)
    return checkOf(own, metric, most, found, withRemedy(nothingShared(own.dataset.name)));
  const isMissed = found.lost.length > most;
  // With unjudged passages, more perspectives may be lost.
  const isOpen = !isMissed && found.lost.length + found.unjudged > most;
  const counts = { count: found.lost.length, most, unjudged: found.unjudged };
  return {
    ...checkOf(own, metric, most, found, lostPerspectivesReason(counts, found.covered, isOpen)),
    outcome: isMissed ? 'missed' : isOpen ? 'undecided' : 'passed',
    failing: isMissed ? [...new Set(found.lost)] : [],
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

function lossesSince(own: Scored, then: BaselinePipeline, spec: GateSpec): Losses {
  const before = new Map(then.queries.map((query) => [query.id, query]));
  const shared = own.dataset.queries.filter(({ id, digest }) => before.get(id)?.digest === digest);
  return {
    queries: shared.length,
    covered: shared.reduce((sum, { id, perspectives }) => {
      const lost = new Set(before.get(id)!.lost.map(({ perspective }) => perspective));
      return sum + perspectives.filter((each) => !lost.has(each.id)).length;
    }, 0),
    lost: queriesWhere('lost', own, then, spec),
    unjudged: queriesWhere('unjudged', own, then, spec).length,
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
