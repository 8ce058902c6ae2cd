/** Checks that few perspectives, or none, are lost which the baseline covered: a mean may hide them. */
import { circularAmong } from '../metrics/circular.ts';
import type { Baseline, BaselinePipeline } from './baseline.ts';
import { findInBaseline } from './compare-baseline.ts';
import { isQuarantined, losingQueries, verdictOf } from './repeated.ts';
import { saysNothingYet, type Scored } from './evaluated.ts';
import type { GateCheck } from './report.ts';
import type { GateSpec } from './spec.ts';
import {
  circularLossReason,
  lostPerspectivesReason,
  nothingShared,
  unjudgedReason,
  withRemedy,
} from './wording.ts';

/** One for each pipeline; none where the gate demands nothing of the kind. */
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
  const lost = found.lost.length;
  return {
    ...checkOf(own, metric, most, found, lostPerspectivesReason({ count: lost, most }, found.covered)),
    outcome: lost > most ? 'missed' : 'passed',
    failing: lost > most ? [...new Set(found.lost)] : [],
  };
}

/** Of queries that are the same as in the baseline. */
interface Losses {
  readonly queries: number;
  /** Perspectives that the baseline covered. */
  readonly covered: number;
  /** The query of each of them that is not covered now, and is not quarantined. */
  readonly lost: readonly string[];
}

const NONE: Losses = { queries: 0, covered: 0, lost: [] };

function lossesSince(own: Scored, then: BaselinePipeline, spec: GateSpec): Losses {
  const before = new Map(then.queries.map((query) => [query.id, query]));
  const shared = own.dataset.queries.filter(({ id, digest }) => before.get(id)?.digest === digest);
  return {
    queries: shared.length,
    covered: shared.reduce((sum, { id, perspectives }) => {
      const lost = new Set(before.get(id)!.lost.map(({ perspective }) => perspective));
      return sum + perspectives.filter((each) => !lost.has(each.id)).length;
    }, 0),
    lost: losingQueries(own, then).flatMap(({ query, perspectives }) =>
      perspectives
        .filter((perspective) => !isQuarantined(verdictOf(own, query.id, perspective), spec))
        .map(() => query.id),
    ),
  };
}

/** Not decided, for a reason. */
function checkOf(
  { dataset, pipeline }: Scored,
  metric: string,
  most: number,
  { queries, covered, lost }: Losses,
  reason: string,
): GateCheck {
  return {
    kind: 'perspectives',
    dataset: dataset.name,
    pipeline: pipeline.name,
    metric,
    outcome: 'unknown',
    value: covered === 0 ? 1 : 1 - lost.length / covered,
    queries,
    lost: { count: lost.length, most },
    reason,
    failing: [],
  };
}
