/** Values that are known, or only bounded by what is judged so far. */
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
  /** Counts what is unjudged as not supporting. */
  value: z.number(),
  bound: z.enum(BOUNDS),
  /** The value if everything unjudged supported; absent if the value is exact. */
  most: z.number().optional(),
});
export type Measured = Read<typeof measuredSchema>;

/** A value that no further verdict changes. */
export const exactly = (value: number): Measured => ({ value, bound: 'exact' });

/** @param most the value if everything unjudged supported */
export function atLeast(value: number, most: number): Measured {
  return most > value ? { value, bound: 'least', most } : exactly(value);
}

/** Whether the difference of two values is known. Between a bound and another value there is none. */
export function areComparable(one: Measured, other: Measured): boolean {
  return one.bound === 'exact' && other.bound === 'exact';
}

/** The mean of values that count alike. It is a bound if any of them is. @param values at least one */
export function meanOf(values: readonly Measured[]): Measured {
  const mean = (of: (value: Measured) => number): number =>
    values.reduce((sum, value) => sum + of(value), 0) / values.length;
  const value = mean((each) => each.value);
  if (values.every(({ bound }) => bound === 'exact')) return exactly(value);
  const bound = values.some((each) => each.bound === 'open') ? 'open' : 'least';
  return { value, bound, most: mean((each) => each.most ?? each.value) };
}
