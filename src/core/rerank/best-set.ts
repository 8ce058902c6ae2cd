/** Finds the list of k candidates with the highest value of an aim by exchanges. */
import type { Aim } from './expected-aims.ts';

/** Smaller differences are rounding errors of sums. */
const ROUNDING = 1e-12;

interface Valued {
  readonly list: readonly number[];
  readonly value: number;
}

/**
 * Exchanges candidates of a list for others, and also swaps them if their order counts, as long as the aim increases.
 * Finds a local optimum.
 *
 * @param start distinct candidates
 * @param n the number of candidates
 */
export function bestSet(aim: Aim, start: readonly number[], n: number): readonly number[] {
  let top = arranged(aim, start);
  for (let turn = 0; turn < 4 * start.length; turn++) {
    const better = bestExchange(aim, top, n);
    if (!better) break;
    top = arranged(aim, better);
  }
  return top.list;
}

function bestExchange(aim: Aim, { list, value: before }: Valued, n: number): readonly number[] | undefined {
  const isChosen = new Set(list);
  let best = before + ROUNDING;
  let bestList: readonly number[] | undefined;
  for (let place = 0; place < list.length; place++) {
    const valueWith = aim.exchanged(list, place);
    for (let candidate = 0; candidate < n; candidate++) {
      if (isChosen.has(candidate)) continue;
      const value = valueWith(candidate);
      if (value > best) [best, bestList] = [value, list.with(place, candidate)];
    }
  }
  return bestList;
}

/** Swaps two candidates at a time. */
function arranged(aim: Aim, list: readonly number[]): Valued {
  let best: Valued = { list, value: aim.valueOf(list) };
  if (!aim.isOrdered) return best;
  for (let turn = 0; turn < list.length; turn++) {
    const before = best;
    for (let later = 1; later < list.length; later++)
      for (let earlier = 0; earlier < later; earlier++) {
        const { list: order } = before;
        const swapped = order.with(earlier, order[later]!).with(later, order[earlier]!);
        const value = aim.valueOf(swapped);
        if (value > best.value + ROUNDING) best = { list: swapped, value };
      }
    if (best === before) break;
  }
  return best;
}

/**
 * The candidates of a set in the order in which each adds most, so that the beginning of the list also covers most.
 *
 * @param support [n, m]
 */
export function mostAddedFirst(set: readonly number[], support: Float64Array, m: number): number[] {
  const left = [...set].sort((a, b) => a - b);
  const missed = new Float64Array(m).fill(1);
  const gainOf = (candidate: number): number =>
    missed.reduce((sum, chance, at) => sum + chance * support[candidate * m + at]!, 0);
  const ordered: number[] = [];
  while (left.length > 0) {
    const next = left.reduce((best, each) => (gainOf(each) > gainOf(best) + 1e-9 ? each : best));
    ordered.push(...left.splice(left.indexOf(next), 1));
    for (let at = 0; at < m; at++) missed[at]! *= 1 - support[next * m + at]!;
  }
  return ordered;
}
