/** The review queue as the engine reports it: pairs that wait for people. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { stanceSchema, verdictSchema } from '../core/model.ts';
import { REVIEW_REASONS } from '../core/review/queue.ts';

const count = z.number().int().min(0);

/** A pair in the queue, as a list shows it. */
export const reviewEntrySchema = z.object({
  id: z.string(),
  reason: z.enum(REVIEW_REASONS),
  corpus: z.string(),
  query: z.object({ id: z.string().optional(), text: z.string() }),
  perspective: z.object({ id: z.string(), text: z.string(), stance: stanceSchema.optional() }),
  documentId: z.string(),
  /** Name of the passage: file and section. */
  name: z.string(),
  /** The passage's beginning. */
  excerpt: z.string(),
  /** 1-based first and last line, for people; absent where the text was extracted from another format. */
  lines: z.object({ first: z.number().int(), last: z.number().int() }).optional(),
  /** How many people are to answer, and how many did. */
  people: z.number().int().min(1),
  answered: count,
  /** People are divided about it. */
  divided: z.boolean(),
  skipped: z.boolean(),
});
export type ReviewEntry = Read<typeof reviewEntrySchema>;

export const reviewQueueSchema = z.object({
  /** In the order in which they are to be reviewed; the first of them where there are very many. */
  entries: z.array(reviewEntrySchema),
  /** All that are open for this person. */
  open: count,
  /** Answered by this person, and waiting for others. */
  waiting: count,
});
export type ReviewQueueView = Read<typeof reviewQueueSchema>;

/** How many pairs a request put into the queue. */
export const reviewAddedSchema = z.object({
  /** Pairs that fit the request. */
  found: count,
  /** Those of them that were not in the queue already. */
  added: count,
  /** Those that found no room. */
  leftOut: count,
});
export type ReviewAdded = Read<typeof reviewAddedSchema>;

/** One person's verdict, with the note of the label. */
export const personsAnswerSchema = z.object({
  person: z.string(),
  verdict: verdictSchema,
  at: z.string(),
  note: z.string().optional(),
});
export type PersonsAnswer = Read<typeof personsAnswerSchema>;
