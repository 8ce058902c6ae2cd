import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Qrels, Run } from '../model.ts';
import { mean } from '../statistics/mean.ts';
import { firstRanks } from './first-ranks.ts';

/** The depth in BERDS. */
export const SET_SIZE_DEPTH = 100;

export interface SetSizes {
  /** Mean over the covered queries. `undefined` if there are none. Read it together with the share. */
  readonly average: number | undefined;
  /** Share of all queries whose perspectives are all covered within the depth: MRecall@depth, in [0, 1]. */
  readonly coveredShare: number;
  readonly covered: number;
  readonly queries: number;
  /** The number of top passages needed to cover all perspectives, for each covered query. */
  readonly perQuery: ReadonlyMap<string, number>;
}

/**
 * The number of top passages needed to cover all perspectives of a query. Queries that are missing from the run are not
 * covered; queries without perspectives are left out.
 *
 * Source: BERDS, appendix B.2, table 17.
 *
 * @throws ParallaxError `bad-argument` if no query has perspectives
 */
export function setSizes(run: Run, qrels: Qrels, depth = SET_SIZE_DEPTH): SetSizes {
  const perQuery = new Map<string, number>();
  let queries = 0;
  for (const [query, judgements] of qrels) {
    if (judgements.size === 0) continue;
    queries++;
    const ranks = [...firstRanks(run.get(query) ?? [], judgements, depth).values()];
    const coveredRanks = ranks.filter((rank) => rank !== undefined);
    if (coveredRanks.length === ranks.length) perQuery.set(query, Math.max(...coveredRanks));
  }
  if (queries === 0)
    throw new ParallaxError('bad-argument', l10n.t('No question has perspectives to cover.'));
  const sizes = [...perQuery.values()];
  return {
    average: sizes.length === 0 ? undefined : mean(sizes),
    coveredShare: sizes.length / queries,
    covered: sizes.length,
    queries,
    perQuery,
  };
}
