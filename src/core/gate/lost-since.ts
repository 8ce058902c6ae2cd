/** The fate of perspectives that the baseline covered and the top k does not: the one answer that everything shows. */
import type { BaselinePipeline, BaselineQuery } from './baseline.ts';
import type { EvaluatedQuery, Scored } from './evaluated.ts';
import { repeatedP, type RepeatedVerdict } from './repeated-verdict.ts';
import type { GateSpec } from './spec.ts';

/** p-values that are the same but for rounding. */
const ROUNDING = 1e-9;

/** A query of which the top k no longer cover perspectives that those of the baseline did. */
export interface LosingQuery {
  readonly query: EvaluatedQuery;
  readonly before: BaselineQuery;
  readonly perspectives: readonly string[];
}

/** Queries that are the same as in the baseline, and seem to lose something, whatever is known of it. */
export function losingQueries({ dataset, losses }: Scored, then: BaselinePipeline): LosingQuery[] {
  const known = new Map(then.queries.map((query) => [query.id, query]));
  return dataset.queries.flatMap((query) => {
    const before = known.get(query.id);
    if (before?.digest !== query.digest) return [];
    const lostBefore = new Set(before.lost.map(({ perspective }) => perspective));
    const perspectives = losses
      .get(query.id)!
      .perspectives.filter(
        ({ where, perspectiveId }) => where !== 'covered' && !lostBefore.has(perspectiveId),
      )
      .map(({ perspectiveId }) => perspectiveId);
    return perspectives.length > 0 ? [{ query, before, perspectives }] : [];
  });
}

/** Whether a perspective that seems to be lost is. */
export type Fate =
  | { readonly is: 'lost' | 'quarantined'; readonly repeated?: RepeatedVerdict | undefined }
  /** How many of the top k are unjudged for it, and may cover it: nobody can tell. */
  | { readonly is: 'unjudged'; readonly unjudged: number };

/** Repeated runs have judged the whole top k; without them, one passage that nobody judged leaves it open. */
export function fateOf(own: Scored, query: string, perspective: string, spec: GateSpec): Fate {
  const repeated = verdictOf(own, query, perspective);
  if (repeated) return { is: isQuarantined(repeated, spec) ? 'quarantined' : 'lost', repeated };
  const unjudged = own.losses.get(query)!.open.get(perspective) ?? 0;
  return unjudged > 0 ? { is: 'unjudged', unjudged } : { is: 'lost' };
}

/** @returns the query of each perspective that seems to be lost and has that fate: one with two of them stands there twice */
export function queriesWhere(
  fate: Fate['is'],
  own: Scored,
  then: BaselinePipeline,
  spec: GateSpec,
): string[] {
  return losingQueries(own, then).flatMap(({ query, perspectives }) =>
    perspectives.flatMap((each) => (fateOf(own, query.id, each, spec).is === fate ? query.id : [])),
  );
}

/** @returns what repeated runs said of it; nothing where there were none */
function verdictOf(
  { dataset, pipeline }: Scored,
  query: string,
  perspective: string,
): RepeatedVerdict | undefined {
  return dataset.repeated?.find(
    (each) => each.pipeline === pipeline.name && each.query === query && each.perspective === perspective,
  );
}

/** Whether repeated runs do not show that a perspective is lost. */
function isQuarantined(verdict: RepeatedVerdict, { baseline }: GateSpec): boolean {
  return repeatedP(verdict) > (baseline?.alpha ?? 0) + ROUNDING;
}
