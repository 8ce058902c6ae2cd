/** The result of an eval set check, as passed between processes. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

export const showableSchema = z.object({
  measure: z.string(),
  /** Smaller differences cannot be shown, whatever is retrieved. `undefined` if unknown. */
  floor: share.optional(),
  /** Shown in four of five comparisons. `undefined` if not even the largest difference is. */
  usual: share.optional(),
  /**
   * The number of additional questions needed to show ten points in four of five comparisons. `undefined` if no number
   * suffices.
   */
  more: count.optional(),
  /** Whether `usual` and `more` rest on retrieved results. Otherwise they rest on an assumption. */
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
  /** Pipelines that failed, with the error. */
  failed: z.array(z.object({ name: z.string(), error: z.string() })),
  /** Comparisons with the first pipeline. */
  tests: count,
  showable: z.array(showableSchema),
  /**
   * Ids of questions that every pipeline wins. `undefined` with fewer than two pipelines, or if too little is judged.
   */
  won: z.array(z.string()).optional(),
  /** Questions that no pipeline can win, with the perspectives without supporting passages. */
  unwinnable: z.array(z.object({ query: z.string(), perspectives: z.array(z.string()) })),
  /** The number of perspectives without a known supporting passage. There may be one. */
  unsupported: count,
  perspectives: count,
  /** `undefined` if the words of the corpus cannot be searched. */
  sharedWords: z
    .array(
      z.object({ query: z.string(), passage: z.string(), name: z.string(), shared: count, terms: count }),
    )
    .optional(),
  /** Questions that repeat an earlier one. */
  sameQuestions: z.array(z.object({ query: z.string(), as: z.string() })),
  /** Perspectives of one question that repeat each other. */
  samePerspectives: z.array(z.object({ query: z.string(), perspective: z.string(), as: z.string() })),
  /** Labels of the questions' perspectives that no longer match the corpus. */
  lostLabels: z.object({
    labels: count,
    lost: count,
    examples: z.array(z.object({ document: z.string(), labels: count })),
  }),
  onOneDocument: z.object({ document: z.string(), queries: z.array(z.string()) }).optional(),
});
export type EvalSetReport = Read<typeof evalSetReportSchema>;
