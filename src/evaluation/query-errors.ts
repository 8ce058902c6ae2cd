/** Questions and further searches that could not be asked: they found nothing, and count as such in every figure. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';

const queryErrorSchema = z.object({
  /** Its id. */
  query: z.string(),
  /** A sentence. */
  message: z.string(),
});
export type QueryError = Read<typeof queryErrorSchema>;

/** The queries that failed under one pipeline. */
export const queryErrorsSchema = z.array(queryErrorSchema);
export type QueryErrors = Read<typeof queryErrorsSchema>;

/**
 * Searches beyond the questions: the same with an exact search, as either side would ask, with a
 * perspective, and without any; and questions without an answer.
 */
const FURTHER_SEARCHES = ['exact', 'support', 'oppose', 'perspective', 'root', 'unanswerable'] as const;
export type FurtherSearch = (typeof FURTHER_SEARCHES)[number];

export const searchErrorsSchema = z.array(queryErrorSchema.extend({ search: z.enum(FURTHER_SEARCHES) }));
export type SearchErrors = Read<typeof searchErrorsSchema>;
