/** Building an eval set, as requests describe it. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { PERSPECTIVE_FORMS } from '../core/building/effort.ts';

const count = z.number().int().min(0);

/** Options that every material with questions has. */
const proposing = {
  form: z.enum(PERSPECTIVE_FORMS),
  /** Whether questions about personal experience are filtered out. */
  filter: z.boolean(),
  /** Perspectives at most, with `answers` and `stances`. */
  limit: z.number().int().min(2).max(16).optional(),
  /** Where gold passages are looked for, and what the model is shown with `answers` and `stances`. */
  corpus: z.string().optional(),
};

/** The material of drafts. Files are absolute paths, or relative to the working directory of the engine. */
const materialSchema = z.discriminatedUnion('from', [
  /** Pairs of passages that disagree. */
  z.object({ from: z.literal('corpus'), corpus: z.string() }),
  z.object({
    /** Of a log, what was asked most often comes first. */
    from: z.enum(['questions', 'log']),
    file: z.string().min(1),
    /** The field that holds the question, where the material is records. */
    field: z.string().min(1).optional(),
    ...proposing,
  }),
  z.object({
    /** Questions that were asked in the side panel. */
    from: z.literal('asked'),
    questions: z.array(z.string()),
    ...proposing,
  }),
]);
export type MaterialRequest = Read<typeof materialSchema>;

export const buildSchema = z.object({
  material: materialSchema,
  /** The judge whose model proposes. */
  generator: z.string(),
  /** Judges the passages of drafts. */
  judge: z.string().optional(),
  /** Drafts that shall wait for a person, those of earlier runs included. */
  count: z.number().int().min(1).max(10_000),
  /** The file that drafts are added to; as those that they are made from. */
  drafts: z.string().min(1),
});

/** The cost of building before it is begun, as if no reply were remembered. */
export const buildEffortSchema = z.object({
  /** Drafts still to be made. */
  wanted: count,
  /** Requests to the generator where every question and every pair of passages becomes a draft. */
  requests: z.object({ least: count, most: count }),
  /** Pairs that the judge is asked about at most. */
  judgePairs: count,
  /** Questions read from a file, those that differ, and those of them that were proposed before. */
  questions: z.object({ read: count, distinct: count, known: count }).optional(),
  /** Lines that hold no question; the first few. */
  problems: z.array(z.string()),
  /** All of them. */
  badLines: count,
  /** The model that would be asked, for people. */
  generator: z.string(),
  /** Lines of the drafts' file that cannot be read. */
  warnings: z.array(z.string()),
});
export type BuildEffort = Read<typeof buildEffortSchema>;

export const buildReportSchema = z.object({
  /**
   * Why building ended: so many drafts wait as were wanted; there is no further material; the budget is spent; the
   * user cancelled; the model cannot be asked.
   */
  end: z.enum(['enough', 'exhausted', 'budget', 'cancelled', 'failed']),
  /** Drafts added that wait for a person. */
  proposed: count,
  /** Drafts added as filtered: questions about personal experience. */
  filtered: count,
  /** Questions that were proposed before, whatever became of them. */
  known: count,
  /** Material of which nothing came, by the reason. */
  leftOut: z.record(z.string(), count),
  /** Drafts that wait for a person now. */
  waiting: count,
  /** Paid for now, repeated ones included. */
  requests: count,
  /** Tokens of the generator, as far as the endpoint says. */
  tokens: z.object({ prompt: count, completion: count }),
  /** The first few failures, one sentence each. */
  problems: z.array(z.string()),
  /** All that failed. */
  failed: count,
});
export type BuildReportView = Read<typeof buildReportSchema>;

export const acceptReportSchema = z.object({
  added: count,
  already: count,
  waiting: count,
  /** Pairs of passages and perspectives that were put up for review. */
  queued: count,
  /** Labels that were added to a file, where one was named. */
  labels: count.optional(),
  warnings: z.array(z.string()),
});
