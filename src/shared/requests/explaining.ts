/** Requests about why a document is, or is not, retrieved. */
import * as z from 'zod';
import { explanationSchema } from '../../core/explain/explanation.ts';
import { pipelineSchema } from '../../core/pipeline.ts';
import { askedPerspectiveSchema, askedQuerySchema } from './questions.ts';

export const explainingRequests = {
  /** Why a document is not among the first k passages of a pipeline, and what would bring it in. Nobody judges. */
  explain: {
    params: z.object({
      corpus: z.string(),
      query: askedQuerySchema,
      perspectives: z.array(askedPerspectiveSchema),
      pipeline: pipelineSchema,
      /** A path, an id of a document or passage, a title, or a text that a document contains. */
      document: z.string().min(1).max(100_000),
      /** Whether other settings are tried until one brings the document in. */
      tryChanges: z.boolean(),
    }),
    result: explanationSchema,
  },
} as const;
