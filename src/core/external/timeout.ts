import * as z from 'zod';

/** How long one query to the user's own retriever may take. */
export const timeoutMs = z
  .number()
  .int()
  .min(100)
  .max(600_000)
  .default(30_000)
  .describe('How long one query may take, in milliseconds.');
