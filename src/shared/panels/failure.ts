/** A failure as shown by every panel, and the message for a chosen remedy. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import type { ParallaxError } from '../../core/errors.ts';
import { REMEDIES, remediesFor } from '../remedies.ts';

export const failureSchema = z.object({
  message: z.string(),
  /** Shown as buttons, in this order. */
  remedies: z.array(z.enum(REMEDIES)),
  /** The corpus it is about, for the remedy `index`. */
  corpus: z.string().optional(),
});
export type Failure = Read<typeof failureSchema>;

export function failureOf({ id, message, corpus }: ParallaxError): Failure {
  return { message, remedies: [...remediesFor(id)], ...(corpus === undefined ? {} : { corpus }) };
}

/** Panel → host. */
export const remedySchema = z.object({ type: z.literal('remedy'), remedy: z.enum(REMEDIES) });
