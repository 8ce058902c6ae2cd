/** Requests that help to make eval sets. */
import * as z from 'zod';
import { pipelineSchema } from '../../core/pipeline.ts';
import { acceptReportSchema, buildEffortSchema, buildReportSchema, buildSchema } from '../building.ts';
import { reviewAddedSchema } from '../review.ts';
import { evalQuerySchema } from './questions.ts';

export const buildingRequests = {
  /** What it would take to build drafts of an eval set. */
  buildEffort: { params: buildSchema, result: buildEffortSchema },
  /** Builds them. Replies are kept as they arrive: a run that stopped goes on where it was. */
  build: {
    params: buildSchema.extend({ requests: z.number().int().min(0).optional() }),
    result: buildReportSchema,
  },
  /** Adds the accepted drafts of a file to an eval set, and puts their passages up for review. Absolute paths. */
  acceptDrafts: {
    params: z.object({ drafts: z.string().min(1), evalSet: z.string().min(1), corpus: z.string() }),
    result: acceptReportSchema,
  },
  /** Puts up for review what pipelines find for queries, near-duplicates left out (BERDS, appendix A.4). */
  labelSet: {
    params: z.object({
      corpus: z.string(),
      queries: z.array(evalQuerySchema).min(1),
      pipelines: z.array(pipelineSchema).min(1).max(8),
      k: z.number().int().min(1).max(100),
    }),
    result: reviewAddedSchema.extend({ duplicates: z.number().int() }),
  },
} as const;
