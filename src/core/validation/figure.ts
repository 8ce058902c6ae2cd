import * as z from 'zod';
import type { Read } from '../read.ts';

/** A figure that may be undefined, as 0/0 is. `null` rather than `undefined`, so that JSON keeps its place. */
export const figureSchema = z.number().nullable();
export type Figure = Read<typeof figureSchema>;

export const countSchema = z.number().int();

/** @returns `null` for 0/0 */
export function ratio(part: number, whole: number): Figure {
  return whole === 0 ? null : part / whole;
}

/** Arithmetic mean; undefined as soon as one of the figures is. */
export function meanOf(figures: readonly Figure[]): Figure {
  let sum = 0;
  for (const figure of figures) {
    if (figure === null) return null;
    sum += figure;
  }
  return ratio(sum, figures.length);
}

/**
 * Agreement beyond what chance explains: (observed − expected)/(1 − expected). Undefined where chance
 * explains everything, as for two raters who only ever say the same one thing.
 */
export function beyondChance(observed: number, expected: number): Figure {
  return expected === 1 ? null : (observed - expected) / (1 - expected);
}
