/**
 * A threshold calibrated on labelled pairs: the output of `parallax judge calibrate --json`, which an NLI judge's
 * `calibration` refers to. Field names are stable. Shares are from 0 to 1; figures that are 0/0 are null.
 */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { figuresSchema } from '../features/validation/core/confusion.ts';
import { calibratedThresholdSchema } from '../features/validation/core/threshold.ts';

export const calibrationReportSchema = calibratedThresholdSchema.extend({
  judge: z.string(),
  /** Key of the judge whose probabilities the threshold is for. Changes with its model. */
  judgeKey: z.string(),
  threshold: z.number().min(0).max(1),
  /** Expected figures on other pairs: every perspective judged at the threshold of the others. */
  heldOut: figuresSchema.nullable(),
  /** Pairs without a yes or no label or without a probability from the model. */
  leftOut: z.number().int(),
});
export type CalibrationReport = Read<typeof calibrationReportSchema>;
