/** The passages of a corpus in the order of one pipeline for one question, with the decision about each. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { DECISIONS } from './decision.ts';

const count = z.number().int().min(0);
const rank = z.number().int().min(1);

export const decisionSchema = z.enum(DECISIONS);

const rankedPassageSchema = z.object({
  id: z.string(),
  documentId: z.string(),
  /** Display name. */
  name: z.string(),
  /** `undefined` for a passage that only the filter of a store excludes. */
  rank: rank.optional(),
  /** Before the rerankers, if it differs. */
  retrievedRank: rank.optional(),
  decision: decisionSchema,
  /** For `duplicate-above`: the rank of the passage that it repeats. */
  repeats: rank.optional(),
});
export type RankedPassage = Read<typeof rankedPassageSchema>;

export const rankingSliceSchema = z.object({
  /** Passages that the pipeline ranks, and those that only a filter excludes. */
  total: count,
  /** The number of all passages per decision. */
  counts: z.record(decisionSchema, count),
  /** The number of passages with the requested words and decision. */
  selected: count,
  /** The index of the first of `passages` among the selected ones, from 0. */
  from: count,
  passages: z.array(rankedPassageSchema),
});
export type RankingSlice = Read<typeof rankingSliceSchema>;
