import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Qrels, Run } from '../model.ts';
import { mean } from '../statistics/mean.ts';
import { firstRanks } from './first-ranks.ts';

export interface UnionCoverage {
  /** Share of queries all of whose perspectives are covered by the union. In [0, 1]. */
  readonly union: number;
  /** The same for each run on its own, and for the union of all others without it. */
  readonly runs: ReadonlyMap<string, { readonly alone: number; readonly withoutIt: number }>;
  /** Ids of the queries that the union does not cover. */
  readonly uncovered: readonly string[];
  readonly queries: number;
}

/**
 * Whether several retrievers together find every perspective: MRecall over the union of their top passages,
 * which is cut nowhere, so that all perspectives must be covered. It bounds what any reranker or fusion of
 * these runs can reach. A query that a run does not answer adds nothing; one without perspectives is left
 * out.
 *
 * Source: BERDS, section 8, table 6.
 *
 * @param runs by name
 * @param depth how many passages of each run count; 100 in the paper
 * @throws ParallaxError `bad-argument` without runs, or when no query has perspectives
 */
export function unionCoverage(runs: ReadonlyMap<string, Run>, qrels: Qrels, depth = 100): UnionCoverage {
  const names = [...runs.keys()];
  const queries = [...qrels].filter(([, judgements]) => judgements.size > 0);
  if (names.length === 0)
    throw new ParallaxError('bad-argument', l10n.t('There are no runs to take the union of.'));
  if (queries.length === 0)
    throw new ParallaxError('bad-argument', l10n.t('No query has perspectives to cover.'));

  const found = queries.map(([query, judgements]) => ({
    query,
    perspectives: judgements.size,
    byRun: new Map(
      [...runs].map(([name, run]) => {
        const ranks = firstRanks(run.get(query) ?? [], judgements, depth);
        return [name, [...ranks.keys()].filter((perspective) => ranks.get(perspective) !== undefined)];
      }),
    ),
  }));
  const isCovered = ({ perspectives, byRun }: (typeof found)[number], by: readonly string[]): boolean =>
    new Set(by.flatMap((name) => byRun.get(name)!)).size === perspectives;
  const share = (by: readonly string[]): number => mean(found.map((one) => (isCovered(one, by) ? 1 : 0)));

  return {
    union: share(names),
    runs: new Map(
      names.map((name) => [
        name,
        { alone: share([name]), withoutIt: share(names.filter((other) => other !== name)) },
      ]),
    ),
    uncovered: found.filter((one) => !isCovered(one, names)).map(({ query }) => query),
    queries: queries.length,
  };
}
