import * as z from 'zod';

/** Queries that a pipeline could not be asked; they found nothing, and count as such in every figure. */
export const queryErrorsSchema = z.array(
  z.object({
    /** Its id. */
    query: z.string(),
    /** A sentence. */
    message: z.string(),
  }),
);
