/** Comparisons with the baseline, with and without the difference. */
import type { BaselineDifference } from './report.ts';

/** A comparison with the baseline before it is decided whether its difference may be shown. */
export type FlatDifference = Omit<BaselineDifference, 'paired'> & NonNullable<BaselineDifference['paired']>;

export function withPaired(flat: FlatDifference): BaselineDifference {
  const { difference, low, high, p, wins, losses, ties } = flat;
  const paired = { difference, low, high, ...(p === undefined ? {} : { p }), wins, losses, ties };
  return { ...withoutPaired(flat), paired };
}

export function withoutPaired({
  value,
  queries,
  alpha,
  tolerance,
  attribution,
  counted,
}: FlatDifference): BaselineDifference {
  return { value, queries, alpha, tolerance, attribution, ...(counted === undefined ? {} : { counted }) };
}
