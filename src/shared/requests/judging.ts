/** Requests about what passages support: asking judges, and labels of people. */
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
  /** Answers that could not be read: their pairs stay unjudged. */
  unparsable: z.number().int(),
  /** Why, of the first one. */
  unreadableReason: z.string().optional(),
  failed: z.number().int(),
  /** Pairs that the judge could not decide by itself. */
  escalated: z.number().int().optional(),
  /** Why pairs failed: the first failure, as a sentence and as an id. */
  error: z.string().optional(),
  errorId: z.enum(ERROR_IDS).optional(),
});
export type JudgeReport = Read<typeof judgeReportSchema>;

/** Passages × perspectives of one query, and the judge whose word is wanted. */
export const judgingTaskSchema = z.object({
  corpus: z.string(),
  judge: z.string(),
  query: askedQuerySchema,
  perspectives: z.array(askedPerspectiveSchema),
  slots: z.array(z.number().int()),
});

/** The fewest characters, blanks aside, of a quotation. */
export const SHORTEST_QUOTE = 8;

/** Why a label of an agent is refused. */
export const REFUSED_LABELS = ['no-passage', 'no-perspective', 'no-quotation', 'not-in-passage'] as const;
export type RefusedLabel = (typeof REFUSED_LABELS)[number];

/** A chat model's endpoint, as a judge of `parallax.json` names one. */
const endpointSchema = z.object({ baseUrl: z.url(), model: z.string(), ...endpointFields });

export const judgingRequests = {
  /** Labels and remembered answers about these passages and perspectives; nobody is asked. */
  judgements: { params: judgingTaskSchema, result: knownSchema },
  /** How many of these pairs the judge would have to be asked, and what that would cost. */
  judgeCost: {
    params: judgingTaskSchema.extend({ prices: pricesSchema }),
    result: z.object({ calls: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  judge: {
    params: judgingTaskSchema.extend({ budget: budgetSchema.optional() }),
    result: judgeReportSchema,
  },
  /** One real request to an endpoint that no configuration names yet. */
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
      /** At most so many. */
      count: z.number().int().min(1).max(16),
      /** Passages that the model sees beside the question, best first; it sees the question alone when left out. */
      passages: z
        .object({ corpus: z.string(), slots: z.array(z.number().int()).min(1).max(SUGGEST_PASSAGES) })
        .optional(),
    }),
    result: z.object({
      perspectives: z.array(
        z.object({
          name: z.string(),
          text: z.string(),
          /** Those that gave rise to it; none where it was expected and not found, or nothing was shown. */
          passages: z.array(z.object({ passageId: z.string(), name: z.string() })),
        }),
      ),
    }),
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
      query: askedQuerySchema,
      perspective: askedPerspectiveSchema,
      verdict: verdictSchema,
      by: z.string(),
      /** Beside whose answers it is given; people are held to the same support standard. */
      judge: z.string().optional(),
    }),
    result: z.object({}),
  },
  /**
   * Labels that an agent gives by itself: those of people win over them, and no judge is validated on them. A "yes" is given
   * with a quotation that the passage contains.
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
