/** The error rates assumed for a judge whose answers ordered passages. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';

/** The assumed correlation of errors of judges that are asked about the same passages. */
const takenCorrelationSchema = z.object({
  judges: z.array(z.string()),
  /** Mean over pairs of judges, from 0 to 1. */
  correlation: z.number(),
  /** The number of independent judges that they are worth. */
  votes: z.number(),
  /** As in {@link takenErrorsSchema}. "default" if no two of them were validated together. */
  from: z.enum(['pipeline', 'validation', 'default']),
  /** Labelled pairs behind a validation: the fewest that two judges share. */
  pairs: z.number().int().optional(),
});
export type TakenCorrelation = Read<typeof takenCorrelationSchema>;

export const takenErrorsSchema = z.object({
  judge: z.string(),
  /** P(yes | support) and P(yes | no support). */
  yesOfSupport: z.number(),
  yesOfNone: z.number(),
  /** Set in the pipeline, measured by a validation on people's labels, or cautious defaults. */
  from: z.enum(['pipeline', 'validation', 'default']),
  /** Labelled pairs behind a validation, and those left out because they are about the question itself. */
  labels: z.number().int().optional(),
  leftOut: z.number().int().optional(),
  /** `undefined` for a single judge. */
  together: takenCorrelationSchema.optional(),
});
export type TakenErrors = Read<typeof takenErrorsSchema>;

/**
 * Why a passage was moved up: the probability that it supports the perspective, and that it is the only one of the top
 * k that does.
 */
export const raisedSchema = z.object({
  perspectiveId: z.string(),
  supports: z.number(),
  only: z.number(),
});
export type Raised = Read<typeof raisedSchema>;
