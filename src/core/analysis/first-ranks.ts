import type { Ranked } from '../model.ts';
import { supports, type TopicJudgements } from '../metrics/judgements.ts';

/**
 * At which rank each perspective is first supported.
 *
 * @param depth how many ranks to look at
 * @returns by perspective id, ranks from 1; `undefined` where no passage within the depth supports it
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
