/**
 * Recall per perspective of a root query, and the effect of a perspective in the query.
 *
 * Source: Zhao et al. 2024 (PIR), section 2.3, equation 1, and figure 2.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Run } from '../model.ts';
import { mean } from '../statistics/mean.ts';

/** A root query asked from one perspective. Several may share root and perspective, each with its own gold passages. */
export interface PerspectiveQuery {
  /** Id of the query in a run. */
  readonly id: string;
  /** Text of the root query. Queries with the same text belong together. */
  readonly root: string;
  /** The kind of perspective, for instance `support`. */
  readonly label: string;
  /** Ids of the correct passages, at least one. Any of them is enough. */
  readonly gold: ReadonlySet<string>;
}

export interface PerspectiveRecall {
  /** p-Recall@k: success averaged over the queries of a root, then over roots. In [0, 1], as all figures below. */
  readonly pRecall: number;
  /** As in the authors' notebook: a root with a single query counts 0 even if the query succeeds. */
  readonly pRecallAuthors: number;
  /** Recall@k: success averaged over all queries, ignoring roots. */
  readonly recall: number;
  /** Recall@k of the queries with each label, in order of first appearance. */
  readonly byLabel: ReadonlyMap<string, { readonly recall: number; readonly queries: number }>;
  readonly roots: number;
  readonly queries: number;
}

/**
 * How well a run answers queries asked from a perspective. A query succeeds if any of its gold passages is in the top
 * k. Queries that are missing from the run fail.
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
    pRecallAuthors: mean(
      byRoot.map((rootOutcomes) => (rootOutcomes.length === 1 ? 0 : average(rootOutcomes))),
    ),
    recall: average(outcomes),
    byLabel: new Map(
      [...byLabel].map(([label, labelOutcomes]) => [
        label,
        { recall: average(labelOutcomes), queries: labelOutcomes.length },
      ]),
    ),
    roots: byRoot.length,
    queries: queries.length,
  };
}

/**
 * The gold passages of each root query for any perspective.
 *
 * @returns by the text of the root query, in order of first appearance
 */
export function goldOfRoots(queries: readonly PerspectiveQuery[]): Map<string, ReadonlySet<string>> {
  return new Map(
    [...Map.groupBy(queries, ({ root }) => root)].map(([root, rootQueries]) => [
      root,
      new Set(rootQueries.flatMap(({ gold }) => [...gold])),
    ]),
  );
}

/**
 * Recall@k of root queries without a perspective. A root query succeeds if the gold of any of its perspectives is in
 * the top k. Together with {@link PerspectiveRecall.recall} this is PIR's figure 2.
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
