/**
 * Perspectives that the baseline covered and the top k do not, judged again from nothing: a judge that says now this and
 * now that of the same passages loses and finds perspectives by itself. Only a loss that shows between the repeated runs,
 * too, is one; the others are quarantined, which every report says.
 */
import * as l10n from '@vscode/l10n';
import type { Baseline, BaselinePipeline, BaselineQuery } from './baseline.ts';
import { findInBaseline } from './compare-baseline.ts';
import type { EvaluatedQuery, Scored } from './evaluated.ts';
import { repeatedP, type RepeatedVerdict } from './repeated-verdict.ts';
import type { GateSpec } from './spec.ts';
import { percent } from './wording.ts';

/** p-values that are the same but for rounding. */
const ROUNDING = 1e-9;

/** @returns what repeated runs said of it; nothing where there were none */
export function verdictOf(
  { dataset, pipeline }: Pick<Scored, 'dataset' | 'pipeline'>,
  query: string,
  perspective: string,
): RepeatedVerdict | undefined {
  return dataset.repeated?.find(
    (each) => each.pipeline === pipeline.name && each.query === query && each.perspective === perspective,
  );
}

/** Whether repeated runs do not show that a perspective is lost. */
export function isQuarantined(verdict: RepeatedVerdict | undefined, { baseline }: GateSpec): boolean {
  return verdict !== undefined && repeatedP(verdict) > (baseline?.alpha ?? 0) + ROUNDING;
}

/** A query of which the top k no longer cover perspectives that those of the baseline did. */
export interface LosingQuery {
  readonly query: EvaluatedQuery;
  readonly before: BaselineQuery;
  readonly perspectives: readonly string[];
}

/** Queries that are the same as in the baseline, and lose something, whatever repeated runs say of it. */
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

/** One sentence for what is quarantined of a pipeline, and one where repeated runs were demanded and nobody was asked. */
export function quarantineNotes(own: Scored, spec: GateSpec, baseline: Baseline): string[] {
  const { dataset, pipeline } = own;
  if (spec.baseline?.repeats === undefined) return [];
  const then = findInBaseline(baseline, own);
  const losing = typeof then === 'string' ? [] : losingQueries(own, then.pipeline);
  if (losing.length === 0) return [];
  if (!dataset.repeated)
    return [
      l10n.t`What "${pipeline.name}" lost on "${dataset.name}" was not judged again, because no judge was asked that could say something else: it counts as lost.`,
    ];
  const out = losing.flatMap(({ query, perspectives }) =>
    perspectives
      .filter((perspective) => isQuarantined(verdictOf(own, query.id, perspective), spec))
      .map(() => query.id),
  );
  if (out.length === 0) return [];
  const queries = [...new Set(out)].join(', ');
  const level = percent(spec.baseline.alpha);
  return [
    out.length === 1
      ? l10n.t`Quarantined of "${pipeline.name}" on "${dataset.name}", and not counted as lost: ${out.length} perspective (of ${queries}). The judge says now this and now that of the same passages, and no loss is certain at ${level}.`
      : l10n.t`Quarantined of "${pipeline.name}" on "${dataset.name}", and not counted as lost: ${out.length} perspectives (of ${queries}). The judge says now this and now that of the same passages, and no loss is certain at ${level}.`,
  ];
}
