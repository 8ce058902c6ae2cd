/** Requests for building eval sets. */
import * as z from 'zod';
import { pipelineSchema } from '../../../core/pipeline.ts';
import { acceptReportSchema, buildEffortSchema, buildReportSchema, buildSchema } from './building.ts';
import { reviewAddedSchema } from '../../review/contract/review.ts';
import { storedPassageSchema } from '../../../shared/requests/passages.ts';
import { evalQuerySchema } from '../../../shared/requests/questions.ts';

const labelSetSchema = z.object({
  corpus: z.string(),
  queries: z.array(evalQuerySchema).min(1),
  pipelines: z.array(pipelineSchema).min(1).max(8),
  k: z.number().int().min(1).max(100),
});

export const buildingRequests = {
  /** Estimates the cost of building drafts of an eval set. */
  buildEffort: { params: buildSchema, result: buildEffortSchema },
  /** Builds drafts. Replies are stored as they arrive, so that a stopped run can continue. */
  build: {
    params: buildSchema.extend({ requests: z.number().int().min(0).optional() }),
    result: buildReportSchema,
  },
  /**
   * Adds the accepted drafts of a file to an eval set. Proposed verdicts on their passages are added to the review
   * queue of a corpus, or to a labels file as imported ones, or to neither.
   */
  acceptDrafts: {
    params: z.object({
      drafts: z.string().min(1),
      evalSet: z.string().min(1),
      corpus: z.string().optional(),
      labels: z.string().min(1).optional(),
    }),
    result: acceptReportSchema,
  },
  /**
   * Adds the passages that pipelines find for queries to the review queue, without near-duplicates (BERDS, appendix
   * A.4).
   */
  labelSet: {
    params: labelSetSchema,
    result: reviewAddedSchema.extend({ duplicates: z.number().int() }),
  },
  /** The same passages, one pool for each query with perspectives, for labelling elsewhere. */
  labelPools: {
    params: labelSetSchema,
    result: z.object({
      pools: z.array(
        z.object({
          query: evalQuerySchema,
          passages: z.array(storedPassageSchema),
          duplicates: z.number().int(),
        }),
      ),
    }),
  },
} as const;
