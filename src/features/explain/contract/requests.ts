/** Requests about why a document is or is not retrieved. */
import * as z from 'zod';
import { explanationSchema, namedDocumentSchema, programPoolSchema } from '../core/explanation.ts';
import { decisionSchema, rankingSliceSchema } from '../core/ranked.ts';
import { pipelineSchema } from '../../../core/pipeline.ts';
import { splitSchema } from '../../../core/split/spec.ts';
import { changePriceSchema } from '../../../evaluation/change-price.ts';
import { livePassageSchema } from '../../live/contract/requests.ts';
import { datasetSchema } from '../../../shared/requests/experiments.ts';
import { askedPerspectiveSchema, askedQuerySchema } from '../../../shared/requests/questions.ts';

/** A path, an id of a document or passage, a title, or a text that a document contains. */
const namedTarget = z.string().min(1).max(100_000);

/** See `search`. */
const atOnceSchema = z.boolean().optional();

export const explainingRequests = {
  /** Why a document is not among the first k passages of a pipeline, and what would bring it in. No judge is asked. */
  explain: {
    params: z.object({
      corpus: z.string(),
      query: askedQuerySchema,
      perspectives: z.array(askedPerspectiveSchema),
      pipeline: pipelineSchema,
      document: namedTarget,
      /** Absolute path of the file in which the text was selected. */
      within: z.string().optional(),
      atOnce: atOnceSchema,
      /** Whether to try other settings until one brings the document in. */
      tryChanges: z.boolean(),
      /** Whether to try other splits if no other setting helps. Each indexes the corpus once more. */
      trySplitters: z.boolean().optional(),
    }),
    result: explanationSchema,
  },
  /** The rank of a document among the passages that a running program returned when asked for more. */
  placeInProgram: {
    params: z.object({
      corpus: z.string(),
      document: namedTarget,
      results: z.array(livePassageSchema),
      asked: z.number().int().min(1),
    }),
    result: programPoolSchema,
  },
  /** Documents whose id or title contains a text, for completion. */
  documentsNamed: {
    params: z.object({
      corpus: z.string(),
      text: z.string().min(1).max(1_000),
      most: z.number().int().min(1).max(100),
    }),
    result: z.object({ documents: z.array(namedDocumentSchema) }),
  },
  /** A part of the ranking of all passages. The whole is cached until the next question. */
  ranking: {
    params: z.object({
      corpus: z.string(),
      query: askedQuerySchema,
      perspectives: z.array(askedPerspectiveSchema),
      pipeline: pipelineSchema,
      /** Only passages whose name, path or text contains it. Empty for all. */
      words: z.string().max(1_000),
      /** Only passages with this decision. */
      decision: decisionSchema.optional(),
      from: z.number().int().min(0),
      most: z.number().int().min(1).max(500),
      atOnce: atOnceSchema,
    }),
    result: rankingSliceSchema,
  },
  /** The effect of a change of a pipeline or split on an eval set. No judge is asked. */
  changePrice: {
    params: z.object({
      judge: z.string(),
      dataset: datasetSchema,
      before: pipelineSchema,
      after: pipelineSchema,
      /** Another split of the corpus for `after`, which indexes the corpus once more. */
      split: splitSchema.optional(),
    }),
    result: changePriceSchema,
  },
} as const;
