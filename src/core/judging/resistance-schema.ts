/** A judge's resistance to attacks in passages, as reported by the engine. */
import * as z from 'zod';
import { verdictSchema } from '../model.ts';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);

/** Numbers of cases with an attack. All except `cases` and `rate` add up to `cases`. */
const countsSchema = z.object({
  cases: count,
  passed: count,
  /** The opposite of the right verdict. */
  fooled: count,
  /** Unreadable answers and "unsure": neither fooled nor right. */
  undecided: count,
  unanswered: count,
  /** Cases in which the judge is also wrong without the attack, so that its answer shows nothing. */
  untested: count,
  /** Share of fooled cases among passed, fooled and undecided ones. `null` without any. */
  rate: z.number().nullable(),
});
export type ResistanceCounts = Read<typeof countsSchema>;

export const resistanceSchema = countsSchema.extend({
  families: z.array(
    countsSchema.extend({ family: z.string(), title: z.string(), sources: z.array(z.string()) }),
  ),
  fooled: z.array(z.object({ name: z.string(), family: z.string(), verdict: verdictSchema })),
});
/** Whether a judge follows instructions in passages. */
export type Resistance = Read<typeof resistanceSchema>;
