/** Requests about what passages support: asking judges, measuring them, and labels of people. */
import * as z from 'zod';
import { ERROR_IDS } from '../../core/errors.ts';
import { labelledPairSchema } from '../../core/formats/labelled-pairs.ts';
import { PROPOSED_STANCES } from '../../core/judging/stance.ts';
import { verdictSchema } from '../../core/model-schemas.ts';
import { validationReportSchema } from '../validation.ts';
import { knownSchema } from './passages.ts';
import { evalQuerySchema, perspectiveSchema, querySchema } from './questions.ts';
import { budgetSchema, effortSchema, pricesSchema } from './spending.ts';

const judgeReportSchema = z.object({
  asked: z.number().int(),
  answered: z.number().int(),
  cached: z.number().int(),
  unparsable: z.number().int(),
  failed: z.number().int(),
  /** Pairs that the judge could not decide by itself. */
  escalated: z.number().int().optional(),
  /** Why pairs failed: the first failure, as a sentence and as an id. */
  error: z.string().optional(),
  errorId: z.enum(ERROR_IDS).optional(),
});
export type JudgeReport = z.output<typeof judgeReportSchema>;

/** Passages × perspectives of one query, and the judge whose word is wanted. */
export const matterSchema = z.object({
  corpus: z.string(),
  judge: z.string(),
  query: querySchema,
  perspectives: z.array(perspectiveSchema),
  slots: z.array(z.number().int()),
});

export const judgingRequests = {
  /** What is known about these passages and perspectives without asking anybody. */
  judgements: { params: matterSchema, result: knownSchema },
  /** How many of these pairs the judge would have to be asked, and what that would cost. */
  judgeCost: {
    params: matterSchema.extend({ prices: pricesSchema }),
    result: z.object({ calls: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  judge: {
    params: matterSchema.extend({ budget: budgetSchema.optional() }),
    result: judgeReportSchema,
  },
  generatePerspectives: {
    params: z.object({ judge: z.string(), query: z.string(), count: z.number().int().min(1).max(8) }),
    result: z.object({ perspectives: z.array(z.object({ name: z.string(), text: z.string() })) }),
  },
  /** On which side of a question its perspectives stand, in their order, as a model says. */
  proposeStances: {
    params: z.object({
      judge: z.string(),
      query: z.string(),
      perspectives: z.array(z.string().min(1)).min(1).max(32),
    }),
    result: z.object({ stances: z.array(z.enum(PROPOSED_STANCES)), model: z.string() }),
  },
  label: {
    params: z.object({
      corpus: z.string(),
      slot: z.number().int(),
      query: querySchema,
      perspective: perspectiveSchema,
      verdict: verdictSchema,
      by: z.string(),
      /** Beside whose answers it is given; people are held to the same support standard. */
      judge: z.string().optional(),
    }),
    result: z.object({}),
  },
  /** How good judges are on labelled pairs: those given, those of a file, or the workspace's own labels. */
  validateJudge: {
    params: z.object({
      judges: z.array(z.string()).min(1),
      /** A judge whose answers count as true instead of labels. */
      reference: z.string().optional(),
      pairs: z.array(labelledPairSchema).min(1).optional(),
      /** Absolute, or relative to the folder of parallax.json. */
      labelsFile: z.string().optional(),
      /** The corpus that a workspace's labels are about. */
      corpus: z.string().optional(),
      /** Queries that say where their perspectives stand. */
      queries: z.array(evalQuerySchema).optional(),
      repeats: z.number().int().min(1).max(100).optional(),
      /** Also hold debates with the agents swapped. */
      swap: z.boolean().optional(),
      /** Use so many pairs only, drawn at random. */
      limit: z.number().int().min(1).optional(),
    }),
    result: validationReportSchema,
  },
} as const;
