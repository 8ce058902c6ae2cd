/** Requests that look for a perspective beyond the candidates of a pipeline. */
import * as z from 'zod';
import { retrieverSchema } from '../../core/pipeline.ts';
import { judgeReportSchema } from './judging.ts';
import { knownSchema } from './passages.ts';
import { askedPerspectiveSchema, askedQuerySchema } from './questions.ts';

export const probingRequests = {
  /**
   * Searches for a perspective through every retriever that is ready, and has what is found judged until a passage
   * supports it. What was found before in the same corpus is not searched for again.
   */
  lookDeeper: {
    params: z.object({
      corpus: z.string(),
      query: askedQuerySchema,
      perspective: askedPerspectiveSchema,
      /** Those of the pipelines that are known, besides BM25. */
      retrievers: z.array(retrieverSchema).max(100),
      judge: z.string(),
      /** At most so many passages are put to the judge; 0 to search alone. */
      passages: z.number().int().min(0).max(1000),
      /** At most so many requests; no limit when left out. */
      requests: z.number().int().min(1).optional(),
    }),
    result: z.object({
      /** The perspective as it stands now: the passages found, and the verdicts on them. */
      known: knownSchema,
      /** Slots that the judge would be asked about next, the most promising first. */
      open: z.array(z.number().int()),
      /** Absent where nobody was asked. */
      report: judgeReportSchema.optional(),
    }),
  },
} as const;
