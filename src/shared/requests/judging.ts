/** Requests about support: judges and people's labels. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { ERROR_IDS } from '../../core/errors.ts';
import { PROPOSED_STANCES } from '../../core/judging/stance.ts';
import { SUGGEST_PASSAGES } from '../../core/judging/suggest.ts';
import { verdictSchema } from '../../core/model.ts';
import { endpointFields } from '../endpoint-fields.ts';
import { knownSchema } from './passages.ts';
import { askedPerspectiveSchema, askedQuerySchema } from './questions.ts';
import { budgetSchema, effortSchema, pricesSchema } from './spending.ts';

export const judgeReportSchema = z.object({
  asked: z.number().int(),
  answered: z.number().int(),
  cached: z.number().int(),
  /** The number of unreadable answers, whose pairs stay unjudged. */
  unparsable: z.number().int(),
  /** The reason of the first one. */
  unreadableReason: z.string().optional(),
  failed: z.number().int(),
  /** The number of pairs that the judge could not decide. */
  escalated: z.number().int().optional(),
  /** The first failure, as a sentence and as an id. */
  error: z.string().optional(),
  errorId: z.enum(ERROR_IDS).optional(),
});
export type JudgeReport = Read<typeof judgeReportSchema>;

/** Passages × perspectives of one query, and the judge. */
export const judgingTaskSchema = z.object({
  corpus: z.string(),
  judge: z.string(),
  query: askedQuerySchema,
  perspectives: z.array(askedPerspectiveSchema),
  slots: z.array(z.number().int()),
});

/** The fewest characters of a quote, without blanks. */
export const SHORTEST_QUOTE = 8;

/** Why an agent's label is refused. */
export const REFUSED_LABELS = ['no-passage', 'no-perspective', 'no-quotation', 'not-in-passage'] as const;
export type RefusedLabel = (typeof REFUSED_LABELS)[number];

/** A chat model's endpoint, as in a judge of `parallax.json`. */
const endpointSchema = z.object({ baseUrl: z.url(), model: z.string(), ...endpointFields });

export const judgingRequests = {
  /** Labels and stored answers about these passages and perspectives. No judge is asked. */
  judgements: { params: judgingTaskSchema, result: knownSchema },
  /** The number of pairs that the judge would have to be asked about, and the cost. */
  judgeCost: {
    params: judgingTaskSchema.extend({ prices: pricesSchema }),
    result: z.object({ calls: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  judge: {
    params: judgingTaskSchema.extend({ budget: budgetSchema.optional() }),
    result: judgeReportSchema,
  },
  /** Sends one real request to an endpoint that is not configured yet. */
  testModel: {
    params: z.object({ config: endpointSchema, key: z.string().optional() }),
    result: z.object({ json: z.boolean(), tokenProbabilities: z.boolean() }),
  },
  /** The models that an endpoint lists, in its order. */
  listModels: {
    params: z.object({ config: endpointSchema, key: z.string().optional() }),
    result: z.object({ models: z.array(z.string()) }),
  },
  generatePerspectives: {
    params: z.object({
      judge: z.string(),
      query: z.string(),
      /** The most perspectives. */
      count: z.number().int().min(1).max(16),
      /** Passages for the model, best first. Without them it only sees the question. */
      passages: z
        .object({ corpus: z.string(), slots: z.array(z.number().int()).min(1).max(SUGGEST_PASSAGES) })
        .optional(),
    }),
    result: z.object({
      perspectives: z.array(
        z.object({
          name: z.string(),
          text: z.string(),
          /** The passages it comes from. Empty if the model expected it but did not find it, or saw no passages. */
          passages: z.array(z.object({ passageId: z.string(), name: z.string() })),
        }),
      ),
    }),
  },
  /** A model's proposed stances of a question's perspectives, in order. */
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
      query: askedQuerySchema,
      perspective: askedPerspectiveSchema,
      verdict: verdictSchema,
      by: z.string(),
      /** The judge in use. The label gets its support standard. */
      judge: z.string().optional(),
    }),
    result: z.object({}),
  },
  /**
   * Labels that an agent gives on its own. People's labels take precedence, and judges are never validated on them. A
   * "yes" needs a quote from the passage.
   */
  labelAsAgent: {
    params: z.object({
      corpus: z.string(),
      query: askedQuerySchema,
      perspectives: z.array(askedPerspectiveSchema),
      by: z.string().min(1),
      labels: z
        .array(
          z.object({
            passageId: z.string(),
            perspectiveId: z.string(),
            verdict: verdictSchema,
            quote: z.string().optional(),
          }),
        )
        .max(4_000),
    }),
    result: z.object({
      given: z.number().int(),
      refused: z.array(
        z.object({ passageId: z.string(), perspectiveId: z.string(), why: z.enum(REFUSED_LABELS) }),
      ),
    }),
  },
} as const;
