/**
 * Messages between the review of drafts and the extension host. The host sends the newest whole {@link DraftsState}; the
 * panel keeps only what the user is typing.
 */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { REVIEWS } from '../../core/building/draft.ts';
import { stanceSchema } from '../../core/model.ts';
import { failureSchema, remedySchema } from './failure.ts';

const reviewSchema = z.enum(REVIEWS);

const draftView = z.object({
  id: z.string(),
  review: reviewSchema,
  /** Why it was rejected or filtered. */
  because: z.string().optional(),
  /** The question. */
  text: z.string(),
  perspectives: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      stance: stanceSchema.optional(),
      /** Names of the passages that gave rise to it; none where the model expected it and did not find it in them. */
      from: z.array(z.string()).optional(),
      /** Letter and colour of `perspectiveMark`. */
      letter: z.string().min(1),
      color: z.number().int().min(0).max(7),
    }),
  ),
  /** Passages that gave rise to it, with the ids of the perspectives that each supports. */
  passages: z.array(z.object({ name: z.string(), text: z.string(), supports: z.array(z.string()) })),
  /** Who proposed it, and in which words it gave its reason. */
  model: z.string(),
  reason: z.string().optional(),
});
export type DraftView = Read<typeof draftView>;

const draftsStateSchema = z.object({
  /** All of them, in the order of the file. */
  drafts: z.array(z.object({ id: z.string(), text: z.string(), review: reviewSchema })),
  /** The one under review; absent when none is left to review. */
  current: draftView.optional(),
  /** Lines of the file that hold no draft. */
  unreadable: z.number().int(),
  canUndo: z.boolean(),
  error: failureSchema.optional(),
});
export type DraftsState = Read<typeof draftsStateSchema>;

/** Host → panel. */
export const toDraftsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: draftsStateSchema }),
]);
export type ToDrafts = Read<typeof toDraftsSchema>;

const statement = z.string().max(2_000);

/** Panel → host. */
export const fromDraftsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('show'), id: z.string() }),
  /** The next one that waits follows. */
  z.object({ type: z.literal('review'), id: z.string(), review: z.enum(['accepted', 'rejected']) }),
  /** The same, after the user was asked why. */
  z.object({ type: z.literal('reject-with-reason'), id: z.string() }),
  z.object({ type: z.literal('skip') }),
  z.object({ type: z.literal('undo') }),
  /** New words; perspectives that are left out go, those without an id are new. */
  z.object({
    type: z.literal('reword'),
    id: z.string(),
    text: statement,
    perspectives: z.array(z.object({ id: z.string().optional(), text: statement })).max(32),
  }),
  z.object({ type: z.literal('add-accepted') }),
  z.object({ type: z.literal('open-file') }),
  remedySchema,
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromDrafts = Read<typeof fromDraftsSchema>;
