/**
 * Messages between the panel of a run and the extension host. The host always sends the complete {@link RunState}, and
 * the panel only keeps the user's view.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { failureSchema, remedySchema } from '../../../shared/panels/failure.ts';
import { taskSchema } from '../../../shared/panels/task.ts';
import { runPictureSchema } from './run-picture.ts';

const runStateSchema = z.object({
  /** `undefined` if no run was chosen. */
  picture: runPictureSchema.optional(),
  /** The pipelines whose retrievers can be asked again, by name. */
  pipelines: z.array(z.string()),
  /** One of them. Empty if there is none. */
  pipeline: z.string(),
  /** Asking the queries again. */
  task: taskSchema.optional(),
  error: failureSchema.optional(),
});
export type RunState = Read<typeof runStateSchema>;

/** Host → panel. */
export const toRunSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: runStateSchema }),
]);
export type ToRun = Read<typeof toRunSchema>;

/** Panel → host. */
export const fromRunSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('open'), passageId: z.string() }),
  /** Shows the question, or one of the queries, in the side panel. */
  z.object({ type: z.literal('inspect'), query: z.string() }),
  z.object({ type: z.literal('ask-again'), pipeline: z.string() }),
  z.object({ type: z.literal('cancel') }),
  remedySchema,
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromRun = Read<typeof fromRunSchema>;
