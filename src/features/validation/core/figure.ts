import * as z from 'zod';
import type { Read } from '../../../core/read.ts';

/** A figure that may be undefined, such as 0/0. `null` rather than `undefined`, so that JSON keeps it. */
export const figureSchema = z.number().nullable();
export type Figure = Read<typeof figureSchema>;

export const countSchema = z.number().int();

/** @returns `null` for 0/0 */
export function ratio(part: number, whole: number): Figure {
  return whole === 0 ? null : part / whole;
}

/** Arithmetic mean. `null` if one of the figures is. */
export function meanOf(figures: readonly Figure[]): Figure {
  let sum = 0;
  for (const figure of figures) {
    if (figure === null) return null;
    sum += figure;
  }
  return ratio(sum, figures.length);
}

/**
 * Agreement beyond chance: (observed − expected)/(1 − expected). `null` if chance explains everything, as for two
 * raters who always give the same single answer.
 */
export function beyondChance(observed: number, expected: number): Figure {
  return expected === 1 ? null : (observed - expected) / (1 - expected);
}
