/** A figure corrected for the judge's errors, as it is shown and kept. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { figureSchema } from './figures.ts';

export const correctionSchema = z.object({
  /** As they would be had people judged all, by the name of the measure, in [0, 1]; empty where there are none. */
  figures: z.record(z.string(), figureSchema),
  /**
   * Of those figures, how much higher they are than another pipeline's on the same queries, in [−1, 1]; absent for the
   * pipeline that others are compared with.
   */
  differences: z.record(z.string(), figureSchema).optional(),
  /** Why there is no corrected figure. */
  lacks: z.enum(['positives', 'queries', 'unanswered']).optional(),
  /** Queries that people decided and the judge answered, by the first of the measures; and all of them. */
  decided: z.number().int(),
  queries: z.number().int(),
  /** Pairs that people labelled in the queries at hand. */
  labels: z.number().int(),
  /** Pairs that the judge answered and people said yes to. */
  positives: z.number().int(),
  /** Queries to decide until there is a figure, or until no interval reaches further than ± 5 points. */
  more: z.number().int(),
  /** The decided queries were not drawn by chance. */
  assumesRandom: z.boolean(),
  /**
   * Labels have fitted the judge, and its answers about a query are held against people's as they would be without the
   * labels of that query (`held-out`), or as they are (`included`). Absent for other judges.
   */
  fitted: z.enum(['held-out', 'included']).optional(),
});
export type Correction = Read<typeof correctionSchema>;
