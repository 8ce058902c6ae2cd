/** Questions and further searches that failed. They count as queries that found nothing in every figure. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';

const queryErrorSchema = z.object({
  /** The query's id. */
  query: z.string(),
  message: z.string(),
});
export type QueryError = Read<typeof queryErrorSchema>;

/** The queries that failed under one pipeline. */
export const queryErrorsSchema = z.array(queryErrorSchema);
export type QueryErrors = Read<typeof queryErrorsSchema>;

/**
 * Searches beyond the questions: with exact search, from either side, with a perspective, without one, and questions
 * without an answer.
 */
const FURTHER_SEARCHES = ['exact', 'support', 'oppose', 'perspective', 'root', 'unanswerable'] as const;
export type FurtherSearch = (typeof FURTHER_SEARCHES)[number];

export const searchErrorsSchema = z.array(queryErrorSchema.extend({ search: z.enum(FURTHER_SEARCHES) }));
export type SearchErrors = Read<typeof searchErrorsSchema>;
