import type { Ranked } from '../model.ts';
import { supports, type TopicJudgements } from '../metrics/judgements.ts';

/**
 * The rank at which each perspective is first supported.
 *
 * @param depth the number of ranks to search
 * @returns ranks from 1, by perspective id; `undefined` if no passage within the depth supports it
 */
export function firstRanks(
  ranked: readonly Ranked[],
  judgements: TopicJudgements,
  depth: number,
): Map<string, number | undefined> {
  const top = ranked.slice(0, depth);
  return new Map(
    [...judgements].map(([perspective, passages]) => {
      const index = top.findIndex(({ item }) => supports(passages.get(item)));
      return [perspective, index < 0 ? undefined : index + 1];
    }),
  );
}
