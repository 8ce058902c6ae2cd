/** The review queue as reported by the engine: pairs that wait for people. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { stanceSchema, verdictSchema } from '../../../core/model.ts';
import { REVIEW_REASONS } from '../core/queue.ts';

const count = z.number().int().min(0);

/** A pair in the queue, as shown in a list. */
export const reviewEntrySchema = z.object({
  id: z.string(),
  reason: z.enum(REVIEW_REASONS),
  corpus: z.string(),
  query: z.object({ id: z.string().optional(), text: z.string() }),
  perspective: z.object({ id: z.string(), text: z.string(), stance: stanceSchema.optional() }),
  documentId: z.string(),
  /** Name of the passage: file and section. */
  name: z.string(),
  /** The beginning of the passage. */
  excerpt: z.string(),
  /** 1-based first and last line, for display. `undefined` if the text was extracted from another format. */
  lines: z.object({ first: z.number().int(), last: z.number().int() }).optional(),
  /** The number of people who should answer, and of those who did. */
  people: z.number().int().min(1),
  answered: count,
  /** Whether people are divided about it. */
  divided: z.boolean(),
  skipped: z.boolean(),
});
export type ReviewEntry = Read<typeof reviewEntrySchema>;

export const reviewQueueSchema = z.object({
  /** In review order. Only the first if there are very many. */
  entries: z.array(reviewEntrySchema),
  /** The number of all that are open for this person. */
  open: count,
  /** The number of pairs that this person answered and that wait for others. */
  waiting: count,
});
export type ReviewQueueView = Read<typeof reviewQueueSchema>;

/** The number of pairs that a request added to the queue. */
export const reviewAddedSchema = z.object({
  /** Pairs that fit the request. */
  found: count,
  /** Those that were not in the queue yet. */
  added: count,
  /** Those for which there was no room. */
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
