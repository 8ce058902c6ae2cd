/** A figure corrected for the judge's errors, as shown and stored. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { figureSchema } from './figures.ts';

export const correctionSchema = z.object({
  /** Estimates of the figures if people had judged all pairs, by measure name, in [0, 1]. Empty if there are none. */
  figures: z.record(z.string(), figureSchema),
  /**
   * How much higher those figures are than another pipeline's on the same queries, in [−1, 1]. `undefined` for the
   * pipeline that others are compared with.
   */
  differences: z.record(z.string(), figureSchema).optional(),
  /** Why there is no corrected figure. `negatives`: no label is a "no", so only queries that succeed are decided. */
  lacks: z.enum(['positives', 'negatives', 'queries', 'unanswered']).optional(),
  /** Queries that people decided and the judge answered, by the first measure, and the number of all queries. */
  decided: z.number().int(),
  queries: z.number().int(),
  /** Pairs that people labelled in these queries. */
  labels: z.number().int(),
  /** Pairs that the judge answered and people labelled yes. */
  positives: z.number().int(),
  /** Queries to decide until there is a figure, or until every interval is within ± 5 points. */
  more: z.number().int(),
  /** Whether no decided query was drawn at random, so that the correction has to assume it. */
  assumesRandom: z.boolean(),
  /**
   * Set if the judge was fitted to labels. Its answers about a query are compared with people's as they would be
   * without that query's labels (`held-out`), or as they are (`included`).
   */
  fitted: z.enum(['held-out', 'included']).optional(),
});
export type Correction = Read<typeof correctionSchema>;
