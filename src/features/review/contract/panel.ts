/** Messages between the panel that shows a pair under review and the extension host. */
import * as z from 'zod';
import { decidedVerdictSchema, spanSchema, verdictSchema } from '../../../core/model.ts';
import type { Read } from '../../../core/read.ts';

const pairSchema = z.object({
  perspective: z.string(),
  question: z.string(),
  /** File, section and lines. */
  place: z.string(),
  /** The passage as a reader sees it, without markup. */
  text: z.string(),
  /** What the sides quote, as offsets into the text. */
  evidence: z.array(spanSchema.extend({ side: decidedVerdictSchema })),
  /** Sentences on the pair: its stance, what counts as support, why it is here, who answered. */
  facts: z.array(z.string()),
  answers: z.array(z.object({ person: z.string(), verdict: verdictSchema, note: z.string().optional() })),
  /** Judges' arguments, the last round of a debate first. */
  opinions: z.array(
    z.object({
      title: z.string(),
      sides: z.array(z.object({ who: z.string(), side: decidedVerdictSchema, argument: z.string() })),
    }),
  ),
  note: z.string().optional(),
});
export type ReviewPair = Read<typeof pairSchema>;

const reviewStateSchema = z.object({
  /** The pair to decide. `undefined` if no review is open or all pairs are answered. */
  pair: pairSchema.optional(),
  /** Pairs that this person can answer, including this one. */
  left: z.number().int(),
  /** Answers since the review began. */
  answered: z.number().int(),
  /** Pairs that this person answered and that wait for others. */
  waiting: z.number().int(),
});
export type ReviewState = Read<typeof reviewStateSchema>;

/** Host → panel. */
export const toReviewSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: reviewStateSchema }),
]);
export type ToReview = Read<typeof toReviewSchema>;

/** What a button or key of the panel runs, as do commands of the editor. */
export const REVIEW_STEPS = ['next', 'yes', 'no', 'unsure', 'skip', 'undo', 'note'] as const;
export type ReviewStep = (typeof REVIEW_STEPS)[number];

/** Panel → host. */
export const fromReviewSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('step'), step: z.enum(REVIEW_STEPS) }),
  /** Opens the document of the passage. */
  z.object({ type: z.literal('open') }),
]);
export type FromReview = Read<typeof fromReviewSchema>;
