/** A failure as every panel shows it, and what a panel sends when the user asks for a way out. */
import * as z from 'zod';
import type { ParallaxError } from '../../core/errors.ts';
import { REMEDIES, remediesFor } from '../remedies.ts';

export const failureSchema = z.object({
  /** A sentence. */
  message: z.string(),
  /** One button each, in this order. */
  remedies: z.array(z.enum(REMEDIES)),
});
export type Failure = z.output<typeof failureSchema>;

export function failureOf({ id, message }: ParallaxError): Failure {
  return { message, remedies: [...remediesFor(id)] };
}

/** Panel → host. */
export const remedySchema = z.object({ type: z.literal('remedy'), remedy: z.enum(REMEDIES) });
