/** Written by scripts/guards.ts from the schemas of src/core/metrics/correction.ts. */
import { dictionary, fields, flag, number, text } from './message-guard.ts';

export const isCorrection = fields(
  {
    figures: dictionary(fields({ value: number, low: number, high: number })),
    decided: number,
    queries: number,
    labels: number,
    positives: number,
    more: number,
    assumesRandom: flag,
  },
  {
    differences: dictionary(fields({ value: number, low: number, high: number })),
    lacks: text,
    fitted: text,
  },
);
