/** The passages of a corpus in the order of one pipeline for one question, with what decides about each. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { DECISIONS } from './decision.ts';

const count = z.number().int().min(0);
const rank = z.number().int().min(1);

export const decisionSchema = z.enum(DECISIONS);

const rankedPassageSchema = z.object({
  id: z.string(),
  documentId: z.string(),
  /** For people. */
  name: z.string(),
  /** Absent for a passage that only the filter of a store leaves out. */
  rank: rank.optional(),
  /** Before the rerankers, if these gave it another. */
  retrievedRank: rank.optional(),
  decision: decisionSchema,
  /** For `duplicate-above`: the rank of the passage that it repeats. */
  repeats: rank.optional(),
});
export type RankedPassage = Read<typeof rankedPassageSchema>;

export const rankingSliceSchema = z.object({
  /** Passages that the pipeline ranks, with those that only a filter leaves out. */
  total: count,
  /** Of all of them. */
  counts: z.record(decisionSchema, count),
  /** Those with the words and the decision that were asked for. */
  selected: count,
  /** The place of the first of the passages among the selected ones, from 0. */
  from: count,
  passages: z.array(rankedPassageSchema),
});
export type RankingSlice = Read<typeof rankingSliceSchema>;
