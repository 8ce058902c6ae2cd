import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Qrels, Run } from '../model.ts';
import { countedPerspectives, type Basis } from '../metrics/judgements.ts';
import { firstRanks } from './first-ranks.ts';

/** The depth of curves, as for set sizes in BERDS. */
export const CURVE_DEPTH = 100;

/** [depth] each, with the value for k at index k − 1. */
export interface CoverageCurves {
  readonly mrecall: number[];
  /** The share of the counted perspectives that the top k cover. */
  readonly strecall: number[];
}

/**
 * MRecall@k and StRecall@k for every k from 1 to the depth, computed from the ranks at which perspectives first appear,
 * with one pass over each ranking. StRecall never falls. MRecall may fall while k is below the number of perspectives,
 * as MRecall@k requires min(k, m) of them. Queries that are missing from the run count 0; queries without perspectives
 * are left out.
 *
 * Source: BERDS, section 3 (MRecall).
 *
 * @throws ParallaxError `bad-argument` if no query has perspectives
 */
export function coverageCurves(
  run: Run,
  qrels: Qrels,
  { basis, depth = CURVE_DEPTH }: { readonly basis: Basis; readonly depth?: number },
): CoverageCurves {
  const successes = new Array<number>(depth).fill(0);
  const shares = new Array<number>(depth).fill(0);
  let queries = 0;
  for (const [query, judgements] of qrels) {
    if (judgements.size === 0) continue;
    queries++;
    const appearing = appearancesAt([...firstRanks(run.get(query) ?? [], judgements, depth).values()], depth);
    const counted = countedPerspectives(judgements, basis).length;
    let covered = 0;
    for (let k = 1; k <= depth; k++) {
      covered += appearing[k - 1]!;
      if (covered >= Math.min(k, judgements.size)) successes[k - 1]!++;
      if (counted > 0) shares[k - 1]! += covered / counted;
    }
  }
  if (queries === 0)
    throw new ParallaxError('bad-argument', l10n.t('No question has perspectives to cover.'));
  const mean = (sums: readonly number[]): number[] => sums.map((sum) => sum / queries);
  return { mrecall: mean(successes), strecall: mean(shares) };
}

/** The number of perspectives that first appear at each rank, [depth]. */
function appearancesAt(ranks: readonly (number | undefined)[], depth: number): Uint32Array {
  const appearing = new Uint32Array(depth);
  for (const rank of ranks) if (rank !== undefined) appearing[rank - 1]!++;
  return appearing;
}
