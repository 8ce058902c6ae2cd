/** How far raters agree, and how much of it chance explains. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { beyondChance, countSchema, figureSchema } from './figure.ts';

/** Agreement of raters. Read κ together with the raw agreement and the shares, as rare categories lower it. */
const agreementSchema = z.object({
  /** Items that at least two raters rated. */
  items: countSchema,
  /** Raw agreement, 0 to 1. */
  observed: figureSchema,
  /** Agreement that raters with these shares would reach by chance. */
  expected: figureSchema,
  kappa: figureSchema,
});
const sharesSchema = z.record(z.string(), z.number());
type Shares = Read<typeof sharesSchema>;

export const twoRatersSchema = agreementSchema.extend({
  /** Base rates: the share of each category among the ratings of the first and of the second rater. */
  shares: z.tuple([sharesSchema, sharesSchema]),
});
export type TwoRaters = Read<typeof twoRatersSchema>;

export const manyRatersSchema = agreementSchema.extend({
  /** Base rates: the mean share of each category over the items. */
  shares: sharesSchema,
});
export type ManyRaters = Read<typeof manyRatersSchema>;

/**
 * Cohen's κ of two raters who rated the same items (Cohen 1960).
 *
 * @param first `[n]`
 * @param second `[n]`, in the same order
 * @throws ParallaxError `bad-argument` for lists of different length
 */
export function cohensKappa(first: readonly string[], second: readonly string[]): TwoRaters {
  if (first.length !== second.length)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Agreement needs the same items for both raters; there are ${first.length} and ${second.length} ratings.`,
    );
  const items = first.length;
  const shares = [sharesOf([first]), sharesOf([second])] as const;
  if (items === 0) return { items, observed: null, expected: null, kappa: null, shares };
  const observed = first.filter((rating, item) => rating === second[item]).length / items;
  const expected = Object.entries(shares[0]).reduce(
    (sum, [category, share]) => sum + share * (shares[1][category] ?? 0),
    0,
  );
  return { items, observed, expected, kappa: beyondChance(observed, expected), shares };
}

/**
 * Fleiss' κ for any number of raters (Fleiss 1971). Items with different numbers of ratings are handled as by Gwet
 * (Handbook of Inter-Rater Reliability, 2014, section 2): items with one rating do not count for agreement but count
 * once in the shares, like every other item. With equal numbers this is Fleiss' own formula.
 *
 * @param ratings of each item, by any raters; may be empty
 */
export function fleissKappa(ratings: readonly (readonly string[])[]): ManyRaters {
  const shares = sharesOf(ratings);
  const repeated = ratings.filter((item) => item.length >= 2);
  const items = repeated.length;
  if (items === 0) return { items, observed: null, expected: null, kappa: null, shares };
  const observed = repeated.reduce((sum, item) => sum + agreeingPairs(item), 0) / items;
  const expected = Object.values(shares).reduce((sum, share) => sum + share ** 2, 0);
  return { items, observed, expected, kappa: beyondChance(observed, expected), shares };
}

/** Share of agreeing pairs among the ratings of an item. */
function agreeingPairs(item: readonly string[]): number {
  const agreeing = [...countsOf(item).values()].reduce((sum, count) => sum + count * (count - 1), 0);
  return agreeing / (item.length * (item.length - 1));
}

/** Each rated item has the same weight, however many ratings it has. */
function sharesOf(ratings: readonly (readonly string[])[]): Shares {
  const rated = ratings.filter((item) => item.length > 0);
  const totals = new Map<string, number>();
  for (const item of rated)
    for (const [category, count] of countsOf(item))
      totals.set(category, (totals.get(category) ?? 0) + count / item.length);
  return Object.fromEntries([...totals].map(([category, total]) => [category, total / rated.length]));
}

function countsOf(item: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const category of item) counts.set(category, (counts.get(category) ?? 0) + 1);
  return counts;
}
