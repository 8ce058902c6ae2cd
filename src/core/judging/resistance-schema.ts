/** How a judge answers passages that contain attacks, as the engine reports it. */
import * as z from 'zod';
import { verdictSchema } from '../model.ts';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);

/** Numbers of cases with an attack; all but `cases` and `rate` add up to `cases`. */
const countsSchema = z.object({
  cases: count,
  passed: count,
  /** The opposite of the right verdict. */
  fooled: count,
  /** Answers that could not be read, or "unsure": not fooled, and not right either. */
  undecided: count,
  unanswered: count,
  /** The judge does not give the right verdict without an attack either, so that its answer says nothing. */
  untested: count,
  /** Share of those fooled among those passed, fooled and undecided; null without any. */
  rate: z.number().nullable(),
});
export type ResistanceCounts = Read<typeof countsSchema>;

export const resistanceSchema = countsSchema.extend({
  families: z.array(
    countsSchema.extend({ family: z.string(), title: z.string(), sources: z.array(z.string()) }),
  ),
  fooled: z.array(z.object({ name: z.string(), family: z.string(), verdict: verdictSchema })),
});
/** Whether a judge follows what stands in passages. */
export type Resistance = Read<typeof resistanceSchema>;
