/** Requests and results of building an eval set. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { PERSPECTIVE_FORMS } from '../core/effort.ts';

const count = z.number().int().min(0);

/** Options of all materials with questions. */
const proposing = {
  form: z.enum(PERSPECTIVE_FORMS),
  /** Whether questions about personal experience are filtered out. */
  filter: z.boolean(),
  /** The most perspectives, with `answers` and `stances`. */
  limit: z.number().int().min(2).max(16).optional(),
  /** The corpus for gold passages, and for what the model sees with `answers` and `stances`. */
  corpus: z.string().optional(),
};

/** The material of drafts. Files are absolute or relative to the engine's working directory. */
const materialSchema = z.discriminatedUnion('from', [
  /** Pairs of passages that disagree. */
  z.object({ from: z.literal('corpus'), corpus: z.string() }),
  z.object({
    /** In a log, the most frequent questions come first. */
    from: z.enum(['questions', 'log']),
    file: z.string().min(1),
    /** The field of the question, if the material is records. */
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
  /** The judge whose model proposes drafts. */
  generator: z.string(),
  /** Judges the passages of drafts. */
  judge: z.string().optional(),
  /** The number of drafts that should wait for review, including those of earlier runs. */
  count: z.number().int().min(1).max(10_000),
  /** The file that drafts are added to. Paths are as for the material. */
  drafts: z.string().min(1),
});

/** The cost of building before it starts, assuming no cached replies. */
export const buildEffortSchema = z.object({
  /** Drafts that are still needed. */
  wanted: count,
  /** Requests to the generator, if every question or pair of passages becomes a draft. */
  requests: z.object({ least: count, most: count }),
  /** The most pairs that the judge is asked about. */
  judgePairs: count,
  /** The numbers of questions read from a file, of distinct ones, and of those proposed before. */
  questions: z.object({ read: count, distinct: count, known: count }).optional(),
  /** The first few lines without a question. */
  problems: z.array(z.string()),
  /** The number of such lines. */
  badLines: count,
  /** Display name of the model. */
  generator: z.string(),
  /** Lines of the drafts file that cannot be read. */
  warnings: z.array(z.string()),
});
export type BuildEffort = Read<typeof buildEffortSchema>;

export const buildReportSchema = z.object({
  /**
   * Why building ended: enough drafts wait for review, there is no more material, the budget is spent, the user
   * cancelled, or the model fails.
   */
  end: z.enum(['enough', 'exhausted', 'budget', 'cancelled', 'failed']),
  /** Added drafts that wait for review. */
  proposed: count,
  /** Drafts added as filtered: questions about personal experience. */
  filtered: count,
  /** Questions that were proposed before, with any outcome. */
  known: count,
  /** Material without a draft, by the reason. */
  leftOut: z.record(z.string(), count),
  /** All drafts that wait for review now. */
  waiting: count,
  /** Requests paid for in this run, including retries. */
  requests: count,
  /** Tokens of the generator, as far as the endpoint reports them. */
  tokens: z.object({ prompt: count, completion: count }),
  /** The first few failures, one sentence each. */
  problems: z.array(z.string()),
  /** The number of failures. */
  failed: count,
});
export type BuildReportView = Read<typeof buildReportSchema>;

export const acceptReportSchema = z.object({
  added: count,
  already: count,
  waiting: count,
  /** Pairs of passages and perspectives that were added to the review queue. */
  queued: count,
  /** Labels that were added to a file, if one was given. */
  labels: count.optional(),
  warnings: z.array(z.string()),
});
