/** What a check of an eval set finds, as it crosses process borders. */
import * as z from 'zod';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

export const showableSchema = z.object({
  measure: z.string(),
  /** No difference below it can be shown, whatever is retrieved; `undefined` if that is not known. */
  floor: share.optional(),
  /** Such a difference is shown in four of five comparisons; `undefined` if not even the largest is. */
  usual: share.optional(),
  /** How many more questions show a difference of ten points in four of five comparisons; `undefined` if no number would. */
  more: count.optional(),
  /** Whether `usual` and `more` rest on what the pipelines retrieved; they rest on an assumption otherwise. */
  isMeasured: z.boolean(),
});
/** The differences of a measure that a comparison on an eval set can show. */
export type Showable = Read<typeof showableSchema>;

export const evalSetReportSchema = z.object({
  /** Questions with perspectives that were asked. */
  questions: count,
  k: count,
  /** Names of the pipelines that were run. */
  pipelines: z.array(z.string()),
  /** Those that could not be, and why. */
  failed: z.array(z.object({ name: z.string(), error: z.string() })),
  /** Comparisons with the first pipeline. */
  tests: count,
  showable: z.array(showableSchema),
  /** Ids of questions that every pipeline wins; absent with fewer than two pipelines, or where too little is judged. */
  won: z.array(z.string()).optional(),
  /** Questions that no pipeline can win, with the perspectives that no passage supports. */
  unwinnable: z.array(z.object({ query: z.string(), perspectives: z.array(z.string()) })),
  /** Perspectives without a supporting passage so far; there may be one. */
  unsupported: count,
  perspectives: count,
  /** `undefined` if the words of the corpus cannot be searched. */
  sharedWords: z
    .array(
      z.object({ query: z.string(), passage: z.string(), name: z.string(), shared: count, terms: count }),
    )
    .optional(),
  /** Questions that say the same as an earlier one. */
  sameQuestions: z.array(z.object({ query: z.string(), as: z.string() })),
  /** Perspectives of one question that say the same. */
  samePerspectives: z.array(z.object({ query: z.string(), perspective: z.string(), as: z.string() })),
  /** Labels of the questions' perspectives that mean nothing in the corpus any more. */
  lostLabels: z.object({
    labels: count,
    lost: count,
    examples: z.array(z.object({ document: z.string(), labels: count })),
  }),
  onOneDocument: z.object({ document: z.string(), queries: z.array(z.string()) }).optional(),
});
export type EvalSetReport = Read<typeof evalSetReportSchema>;
