/**
 * A threshold chosen on labelled pairs: what `parallax judge calibrate --json` writes, and what the
 * `calibration` of an NLI judge names. Field names are stable. Shares run from 0 to 1; a figure that is 0/0 is
 * null.
 */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { figuresSchema } from '../core/validation/confusion.ts';
import { CALIBRATION_OBJECTIVES } from '../core/validation/threshold.ts';

const count = z.number().int();

export const calibrationReportSchema = z.object({
  judge: z.string(),
  /** Identity of the judge whose probabilities the threshold is for; changes with its model. */
  judgeKey: z.string(),
  /** "yes" at or above it. */
  threshold: z.number().min(0).max(1),
  /** The aim it was chosen for. */
  objective: z.enum(CALIBRATION_OBJECTIVES),
  /** Labelled pairs that it rests on. */
  counts: z.object({ yes: count, no: count }),
  /** At this threshold, on the same pairs: flattering. */
  figures: figuresSchema,
  /** Every perspective judged at the threshold that the others give: what to expect elsewhere. */
  heldOut: figuresSchema.nullable(),
  /** Pairs that were left out: the label is no yes or no, or the model gave no probability. */
  leftOut: count,
});
export type CalibrationReport = Read<typeof calibrationReportSchema>;
