/**
 * Recall that looks at each perspective of a root query, and what the perspective in the query does to it.
 *
 * Source: Zhao et al. 2024 (PIR), section 2.3, equation 1, and figure 2.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Run } from '../model.ts';
import { mean } from '../statistics/mean.ts';

/** A root query asked from one perspective. Several may share root and perspective, each with gold of its own. */
export interface PerspectiveQuery {
  /** Under which a run answers it. */
  readonly id: string;
  /** Text of the root query; queries with the same text belong together. */
  readonly root: string;
  /** The kind of perspective, for instance `support`. */
  readonly label: string;
  /** Ids of the passages that are right; one of them is enough. At least one. */
  readonly gold: ReadonlySet<string>;
}

export interface PerspectiveRecall {
  /** p-Recall@k: success averaged over the queries of a root, then over roots. In [0, 1], as all below. */
  readonly pRecall: number;
  /** As the authors' notebook has it: a root with a single query counts 0, whether that succeeds or not. */
  readonly pRecallAuthors: number;
  /** Recall@k: success averaged over all queries, without regard to roots. */
  readonly recall: number;
  /** Recall@k of the queries with each label, in order of first appearance. */
  readonly byLabel: ReadonlyMap<string, { readonly recall: number; readonly queries: number }>;
  readonly roots: number;
  readonly queries: number;
}

/**
 * How well a run answers queries asked from a perspective. A query succeeds when any of its gold passages
 * is in the top k; one that the run does not answer fails.
 *
 * @param run by query id
 * @throws ParallaxError `bad-argument` without queries, or for a k below 1
 */
export function perspectiveRecall(
  run: Run,
  queries: readonly PerspectiveQuery[],
  k: number,
): PerspectiveRecall {
  check(queries, k);
  const outcomes = queries.map((query) => ({ ...query, success: successOf(run, query.id, query.gold, k) }));
  const average = (of: readonly { readonly success: number }[]): number =>
    mean(of.map(({ success }) => success));
  const byRoot = [...Map.groupBy(outcomes, ({ root }) => root).values()];
  const byLabel = Map.groupBy(outcomes, ({ label }) => label);
  return {
    pRecall: mean(byRoot.map(average)),
    pRecallAuthors: mean(byRoot.map((own) => (own.length === 1 ? 0 : average(own)))),
    recall: average(outcomes),
    byLabel: new Map(
      [...byLabel].map(([label, own]) => [label, { recall: average(own), queries: own.length }]),
    ),
    roots: byRoot.length,
    queries: queries.length,
  };
}

/**
 * The gold passages of each root query, whatever the perspective.
 *
 * @returns by the text of the root query, in order of first appearance
 */
export function goldOfRoots(queries: readonly PerspectiveQuery[]): Map<string, ReadonlySet<string>> {
  return new Map(
    [...Map.groupBy(queries, ({ root }) => root)].map(([root, own]) => [
      root,
      new Set(own.flatMap(({ gold }) => [...gold])),
    ]),
  );
}

/**
 * Recall@k of root queries that are asked without a perspective: one succeeds when the gold of any of its
 * perspectives is in the top k. Beside {@link PerspectiveRecall.recall} this is PIR's figure 2.
 *
 * @param run by the text of the root query
 * @throws ParallaxError `bad-argument` without queries, or for a k below 1
 */
export function rootRecall(run: Run, queries: readonly PerspectiveQuery[], k: number): number {
  check(queries, k);
  return mean([...goldOfRoots(queries)].map(([root, gold]) => successOf(run, root, gold, k)));
}

function successOf(run: Run, id: string, gold: ReadonlySet<string>, k: number): number {
  return run
    .get(id)
    ?.slice(0, k)
    .some(({ item }) => gold.has(item))
    ? 1
    : 0;
}

function check(queries: readonly PerspectiveQuery[], k: number): void {
  if (queries.length === 0)
    throw new ParallaxError('bad-argument', l10n.t('There are no queries to compute p-Recall over.'));
  if (!(k >= 1)) throw new ParallaxError('bad-argument', l10n.t`k must be 1 or more, not ${k}.`);
}
