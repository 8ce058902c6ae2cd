import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Qrels, Run } from '../model.ts';
import { mean } from '../statistics/mean.ts';
import { firstRanks } from './first-ranks.ts';

export interface UnionCoverage {
  /** Share of queries whose perspectives are all covered by the union. In [0, 1]. */
  readonly union: number;
  /** The same share for each run alone, and for the union of all others. */
  readonly runs: ReadonlyMap<string, { readonly alone: number; readonly withoutIt: number }>;
  /** Ids of the queries that the union does not cover. */
  readonly uncovered: readonly string[];
  readonly queries: number;
}

/**
 * Whether several retrievers together find every perspective: MRecall over the union of their top passages. The union
 * is not cut, so all perspectives must be covered. This bounds what any reranker or fusion of these runs can reach.
 * Queries that are missing from a run add nothing; queries without perspectives are left out.
 *
 * Source: BERDS, section 8, table 6.
 *
 * @param runs by name
 * @param depth the number of passages per run; 100 in the paper
 * @throws ParallaxError `bad-argument` without runs, or if no query has perspectives
 */
export function unionCoverage(runs: ReadonlyMap<string, Run>, qrels: Qrels, depth = 100): UnionCoverage {
  const names = [...runs.keys()];
  const queries = [...qrels].filter(([, judgements]) => judgements.size > 0);
  if (names.length === 0)
    throw new ParallaxError('bad-argument', l10n.t('There are no runs to take the union of.'));
  if (queries.length === 0)
    throw new ParallaxError('bad-argument', l10n.t('No question has perspectives to cover.'));

  const coverages = queries.map(([query, judgements]) => ({
    query,
    perspectives: judgements.size,
    byRun: new Map(
      [...runs].map(([name, run]) => {
        const ranks = firstRanks(run.get(query) ?? [], judgements, depth);
        return [name, [...ranks.keys()].filter((perspective) => ranks.get(perspective) !== undefined)];
      }),
    ),
  }));
  const isCovered = ({ perspectives, byRun }: (typeof coverages)[number], by: readonly string[]): boolean =>
    new Set(by.flatMap((name) => byRun.get(name)!)).size === perspectives;
  const share = (by: readonly string[]): number => mean(coverages.map((one) => (isCovered(one, by) ? 1 : 0)));

  return {
    union: share(names),
    runs: new Map(
      names.map((name) => [
        name,
        { alone: share([name]), withoutIt: share(names.filter((other) => other !== name)) },
      ]),
    ),
    uncovered: coverages.filter((one) => !isCovered(one, names)).map(({ query }) => query),
    queries: queries.length,
  };
}
