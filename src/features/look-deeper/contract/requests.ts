/** Requests that search for a perspective beyond a pipeline's candidates. */
import * as z from 'zod';
import { retrieverSchema } from '../../../core/pipeline.ts';
import { judgeReportSchema } from '../../../shared/requests/judging.ts';
import { knownSchema } from '../../../shared/requests/passages.ts';
import { askedPerspectiveSchema, askedQuerySchema } from '../../../shared/requests/questions.ts';

export const probingRequests = {
  /**
   * Searches for a perspective with every available retriever, and judges the results until a passage supports it.
   * Earlier results in the same corpus are reused.
   */
  lookDeeper: {
    params: z.object({
      corpus: z.string(),
      query: askedQuerySchema,
      perspective: askedPerspectiveSchema,
      /** Retrievers of the known pipelines, besides BM25. */
      retrievers: z.array(retrieverSchema).max(100),
      judge: z.string(),
      /** The most passages to send to the judge. 0 only searches. */
      passages: z.number().int().min(0).max(1000),
      /** The most requests. `undefined` for no limit. */
      requests: z.number().int().min(1).optional(),
    }),
    result: z.object({
      /** The new state of the perspective: the passages found, and their verdicts. */
      known: knownSchema,
      /** Slots that the judge would be asked about next, most promising first. */
      open: z.array(z.number().int()),
      /** `undefined` if no judge was asked. */
      report: judgeReportSchema.optional(),
    }),
  },
} as const;
