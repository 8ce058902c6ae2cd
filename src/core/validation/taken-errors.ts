/** The error rates assumed of a judge whose answers ordered passages. */
import * as z from 'zod';
import type { Read } from '../read.ts';

/** How the errors of judges that are asked about the same passages are taken to go together. */
const takenCorrelationSchema = z.object({
  judges: z.array(z.string()),
  /** The mean over two of them at a time, from 0 to 1. */
  correlation: z.number(),
  /** How many independent judges they are worth together. */
  votes: z.number(),
  /** As {@link takenErrorsSchema}; "default" where no two of them were validated together. */
  from: z.enum(['pipeline', 'validation', 'default']),
  /** Labelled pairs that a validation rests on: of the two judges that share the fewest. */
  pairs: z.number().int().optional(),
});
export type TakenCorrelation = Read<typeof takenCorrelationSchema>;

export const takenErrorsSchema = z.object({
  judge: z.string(),
  /** How often it says yes where a passage supports, and where it does not. */
  yesOfSupport: z.number(),
  yesOfNone: z.number(),
  /** The pipeline says so, a validation on people's labels measured it, or nobody knows and it is taken with care. */
  from: z.enum(['pipeline', 'validation', 'default']),
  /** Labelled pairs that a validation rests on, and those that were left out because they are about the question itself. */
  labels: z.number().int().optional(),
  leftOut: z.number().int().optional(),
  /** Absent where one judge is asked. */
  together: takenCorrelationSchema.optional(),
});
export type TakenErrors = Read<typeof takenErrorsSchema>;

/** Why a passage was moved up: the chance that it supports the perspective, and that it alone of the top k does. */
export const raisedSchema = z.object({
  perspectiveId: z.string(),
  supports: z.number(),
  only: z.number(),
});
export type Raised = Read<typeof raisedSchema>;
