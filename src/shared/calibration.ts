/**
 * A threshold chosen on labelled pairs: what `parallax judge calibrate --json` writes, and what the
 * `calibration` of an NLI judge names. Field names are stable. Shares run from 0 to 1; a figure that is 0/0 is
 * null.
 */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { figuresSchema } from '../core/validation/confusion.ts';
import { calibratedThresholdSchema } from '../core/validation/threshold.ts';

export const calibrationReportSchema = calibratedThresholdSchema.extend({
  judge: z.string(),
  /** Identity of the judge whose probabilities the threshold is for; changes with its model. */
  judgeKey: z.string(),
  threshold: z.number().min(0).max(1),
  /** Every perspective judged at the threshold that the others give: what to expect elsewhere. */
  heldOut: figuresSchema.nullable(),
  /** Pairs that were left out: the label is no yes or no, or the model gave no probability. */
  leftOut: z.number().int(),
});
export type CalibrationReport = Read<typeof calibrationReportSchema>;
