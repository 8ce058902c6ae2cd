/** Values that are exact, or bounded by the judgements so far. */
import * as z from 'zod';
import type { Read } from './read.ts';

/**
 * - `exact`: no further verdict changes the value.
 * - `least`: a lower bound; further verdicts can only raise the value.
 * - `open`: further verdicts may raise or lower the value.
 */
export const BOUNDS = ['exact', 'least', 'open'] as const;
export type Bound = (typeof BOUNDS)[number];

export const measuredSchema = z.object({
  /** The value with unjudged passages counted as not supporting. */
  value: z.number(),
  bound: z.enum(BOUNDS),
  /** The value if all unjudged passages supported. `undefined` if the value is exact. */
  most: z.number().optional(),
});
export type Measured = Read<typeof measuredSchema>;

/** A value that further verdicts cannot change. */
export const exactly = (value: number): Measured => ({ value, bound: 'exact' });

/** @param most the value if all unjudged passages supported */
export function atLeast(value: number, most: number): Measured {
  return most > value ? { value, bound: 'least', most } : exactly(value);
}

/** Whether both values are exact, so that their difference is known. */
export function areComparable(one: Measured, other: Measured): boolean {
  return one.bound === 'exact' && other.bound === 'exact';
}

/** The mean of equally weighted values. A bound if any of them is. @param values at least one */
export function meanOf(values: readonly Measured[]): Measured {
  const mean = (of: (value: Measured) => number): number =>
    values.reduce((sum, value) => sum + of(value), 0) / values.length;
  const value = mean((each) => each.value);
  if (values.every(({ bound }) => bound === 'exact')) return exactly(value);
  const bound = values.some((each) => each.bound === 'open') ? 'open' : 'least';
  return { value, bound, most: mean((each) => each.most ?? each.value) };
}
