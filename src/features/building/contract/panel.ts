/**
 * Messages between the review of drafts and the extension host. The host always sends the complete {@link DraftsState},
 * and the panel only keeps what the user is typing.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { REVIEWS } from '../core/draft.ts';
import { stanceSchema } from '../../../core/model.ts';
import { failureSchema, remedySchema } from '../../../shared/panels/failure.ts';

const reviewSchema = z.enum(REVIEWS);

const draftView = z.object({
  id: z.string(),
  review: reviewSchema,
  /** Why it was rejected or filtered. */
  because: z.string().optional(),
  text: z.string(),
  perspectives: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      stance: stanceSchema.optional(),
      /** Names of the passages it comes from. Empty if the model expected it but did not find it in them. */
      from: z.array(z.string()).optional(),
      /** Letter and colour of `perspectiveMark`. */
      letter: z.string().min(1),
      color: z.number().int().min(0).max(7),
    }),
  ),
  /** Passages that the draft comes from, with the ids of the perspectives that each supports. */
  passages: z.array(z.object({ name: z.string(), text: z.string(), supports: z.array(z.string()) })),
  /** The model that proposed it, and its reason. */
  model: z.string(),
  reason: z.string().optional(),
});
export type DraftView = Read<typeof draftView>;

const draftsStateSchema = z.object({
  /** All drafts, in file order. */
  drafts: z.array(z.object({ id: z.string(), text: z.string(), review: reviewSchema })),
  /** The draft under review. `undefined` if all are reviewed. */
  current: draftView.optional(),
  /** The number of lines of the file without a draft. */
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
  /** The next unreviewed draft follows. */
  z.object({ type: z.literal('review'), id: z.string(), review: z.enum(['accepted', 'rejected']) }),
  /** Reject after asking the user for a reason. */
  z.object({ type: z.literal('reject-with-reason'), id: z.string() }),
  z.object({ type: z.literal('skip') }),
  z.object({ type: z.literal('undo') }),
  /** New wording. Missing perspectives are removed; those without an id are new. */
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
