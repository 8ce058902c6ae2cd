/** Checks that few perspectives, or none, are lost which the baseline covered: a mean may hide them. */
import { circularAmong } from '../metrics/circular.ts';
import type { Baseline, BaselinePipeline } from './baseline.ts';
import { findInBaseline } from './compare-baseline.ts';
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
  { k, baseline: spec }: GateSpec,
  baseline: Baseline,
): GateCheck[] {
  const { lostPerspectives: most } = spec ?? {};
  return most === undefined ? [] : all.map((own) => lostCheck(own, { k, most }, baseline));
}

function lostCheck(own: Scored, { k, most }: { k: number; most: number }, baseline: Baseline): GateCheck {
  const then = findInBaseline(baseline, own);
  const metric = `MRecall@${k}`;
  if (typeof then === 'string') return checkOf(own, metric, most, NONE, withRemedy(then));
  const found = lossesSince(own, then.pipeline);
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
  /** The query of each of them that is not covered now. */
  readonly lost: readonly string[];
}

const NONE: Losses = { queries: 0, covered: 0, lost: [] };

function lossesSince({ dataset, losses }: Scored, then: BaselinePipeline): Losses {
  const before = new Map(then.queries.map((query) => [query.id, query]));
  return dataset.queries.reduce<Losses>((sum, { id, digest, perspectives }) => {
    const query = before.get(id);
    if (query?.digest !== digest) return sum;
    const lostBefore = new Set(query.lost.map(({ perspective }) => perspective));
    const lostNow = losses
      .get(id)!
      .perspectives.filter(
        ({ where, perspectiveId }) => where !== 'covered' && !lostBefore.has(perspectiveId),
      );
    return {
      queries: sum.queries + 1,
      covered: sum.covered + perspectives.filter((each) => !lostBefore.has(each.id)).length,
      lost: [...sum.lost, ...lostNow.map(() => id)],
    };
  }, NONE);
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
