/** A failure as every panel shows it, and what a panel sends when the user asks for a way out. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import type { ParallaxError } from '../../core/errors.ts';
import { REMEDIES, remediesFor } from '../remedies.ts';

export const failureSchema = z.object({
  /** A sentence. */
  message: z.string(),
  /** One button each, in this order. */
  remedies: z.array(z.enum(REMEDIES)),
  /** The corpus that it is about, which `index` indexes. */
  corpus: z.string().optional(),
});
export type Failure = Read<typeof failureSchema>;

export function failureOf({ id, message, corpus }: ParallaxError): Failure {
  return { message, remedies: [...remediesFor(id)], ...(corpus === undefined ? {} : { corpus }) };
}

/** Panel → host. */
export const remedySchema = z.object({ type: z.literal('remedy'), remedy: z.enum(REMEDIES) });
