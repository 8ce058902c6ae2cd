/** Where spans are received. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

/** The least length of a token that somebody chose: others could guess a short one. */
export const LEAST_TOKEN_LENGTH = 16;

export const listenSchema = z.object({
  host: z.string().min(1),
  /** 0 for any free one. */
  port: z.number().int().min(0).max(65_535),
  /** The receiver makes one where this is left out, which it may be on loopback alone. */
  token: z.string().min(LEAST_TOKEN_LENGTH).max(500).optional(),
});
export type ListenAt = Read<typeof listenSchema>;

/** Whether nobody but this machine reaches an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/u.test(host);
}
