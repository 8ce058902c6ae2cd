/** The fate of perspectives that the baseline covered and the top k do not. All outputs use it. */
import type { BaselinePipeline, BaselineQuery } from './baseline.ts';
import type { EvaluatedQuery, Scored } from './evaluated.ts';
import { repeatedP, type RepeatedVerdict } from './repeated-verdict.ts';
import type { GateSpec } from './spec.ts';

/** p-values that differ by less than this are equal up to rounding. */
const ROUNDING = 1e-9;

/** A query whose top k no longer cover some perspectives that the baseline's top k covered. */
export interface LosingQuery {
  readonly query: EvaluatedQuery;
  readonly before: BaselineQuery;
  readonly perspectives: readonly string[];
}

/** Queries that are the same as in the baseline and seem to lose perspectives, regardless of unjudged passages. */
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

/** Whether a perspective that seems lost is lost. */
export type Fate =
  | { readonly is: 'lost' | 'quarantined'; readonly repeated?: RepeatedVerdict | undefined }
  /** The number of passages in the top k that are unjudged for it and may cover it. */
  | { readonly is: 'unjudged'; readonly unjudged: number };

/** Repeated runs judge the whole top k. Without them, one unjudged passage leaves the fate open. */
export function fateOf(result: Scored, query: string, perspective: string, spec: GateSpec): Fate {
  const repeated = verdictOf(result, query, perspective);
  if (repeated) return { is: isQuarantined(repeated, spec) ? 'quarantined' : 'lost', repeated };
  const unjudged = result.losses.get(query)!.open.get(perspective) ?? 0;
  return unjudged > 0 ? { is: 'unjudged', unjudged } : { is: 'lost' };
}

/** @returns the query of each perspective that seems lost and has that fate; once per perspective */
export function queriesWhere(
  fate: Fate['is'],
  result: Scored,
  then: BaselinePipeline,
  spec: GateSpec,
): string[] {
  return losingQueries(result, then).flatMap(({ query, perspectives }) =>
    perspectives.flatMap((each) => (fateOf(result, query.id, each, spec).is === fate ? query.id : [])),
  );
}

/** @returns the verdict of repeated runs; `undefined` if there were none */
function verdictOf(
  { dataset, pipeline }: Scored,
  query: string,
  perspective: string,
): RepeatedVerdict | undefined {
  return dataset.repeated?.find(
    (each) => each.pipeline === pipeline.name && each.query === query && each.perspective === perspective,
  );
}

/** Whether repeated runs do not confirm that a perspective is lost. */
function isQuarantined(verdict: RepeatedVerdict, { baseline }: GateSpec): boolean {
  return repeatedP(verdict) > (baseline?.alpha ?? 0) + ROUNDING;
}
