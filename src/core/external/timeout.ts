import * as z from 'zod';

/** The time limit of one query to an external retriever. */
export const timeoutMs = z
  .number()
  .int()
  .min(100)
  .max(600_000)
  .default(30_000)
  .describe('How long one query may take, in milliseconds.');
