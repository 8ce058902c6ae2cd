/** Requests about pairs that wait for people. */
import * as z from 'zod';
import { verdictSchema, judgementSchema } from '../../../core/model.ts';
import { personsAnswerSchema, reviewAddedSchema, reviewEntrySchema, reviewQueueSchema } from './review.ts';
import { labelAgreementSchema } from '../core/label-agreement.ts';
import { judgingTaskSchema } from '../../../shared/requests/judging.ts';
import { storedPassageSchema } from '../../../shared/requests/passages.ts';
import { evalQuerySchema } from '../../../shared/requests/questions.ts';

export const reviewRequests = {
  /** Pairs that wait for a person's answer. */
  reviewQueue: { params: z.object({ by: z.string() }), result: reviewQueueSchema },
  /** A pair with the details that help to decide it. */
  reviewItem: {
    params: z.object({ id: z.string() }),
    result: z.object({
      entry: reviewEntrySchema,
      passage: storedPassageSchema,
      standard: z.object({ id: z.string(), summary: z.string() }),
      /** Judges' answers, if people have to decide between them. */
      opinions: z.array(judgementSchema),
      /** Earlier labels, if people are divided or contradict a judge. */
      answers: z.array(personsAnswerSchema),
    }),
  },
  /** Adds matching pairs to the queue. `seed` makes random choices reproducible. */
  reviewAdd: {
    params: z.discriminatedUnion('from', [
      /** Pairs that judges left to people, or on which they contradict each other or people. */
      z.object({ from: z.literal('memory'), corpus: z.string(), queries: z.array(evalQuerySchema) }),
      /** Random judged pairs. */
      z.object({
        from: z.literal('sample'),
        corpus: z.string(),
        judge: z.string(),
        queries: z.array(evalQuerySchema),
        count: z.number().int().min(1).max(1000),
        people: z.number().int().min(1).max(3),
        seed: z.number().int(),
      }),
      /** Pairs with a known answer, to test a person's attention. */
      z.object({
        from: z.literal('attention'),
        corpus: z.string(),
        queries: z.array(evalQuerySchema),
        count: z.number().int().min(1).max(100),
        by: z.string(),
        seed: z.number().int(),
      }),
      /** Unjudged pairs of a query's passages. */
      judgingTaskSchema.extend({ from: z.literal('query') }),
      /** Unjudged pairs in the top k of a stored comparison. */
      z.object({ from: z.literal('comparison'), id: z.string() }),
      /**
       * Pairs without people's labels in the top k of a stored comparison, for this many queries of each data set.
       * Queries are drawn with equal probability, so that the labels can correct the judge's figures.
       */
      z.object({
        from: z.literal('narrowing'),
        id: z.string(),
        count: z.number().int().min(1).max(1000),
        seed: z.number().int(),
      }),
    ]),
    result: reviewAddedSchema,
  },
  /** A label, or the answer to an attention check. `at` identifies it for withdrawal. */
  reviewAnswer: {
    params: z.object({
      id: z.string(),
      verdict: verdictSchema,
      by: z.string(),
      note: z.string().min(1).optional(),
    }),
    result: z.object({ at: z.string() }),
  },
  reviewUndo: {
    params: z.object({ id: z.string(), by: z.string(), at: z.string() }),
    result: z.object({}),
  },
  /** Moves a pair to the end of the queue. */
  reviewSkip: { params: z.object({ id: z.string() }), result: z.object({}) },
  /** Removes pairs from the queue without an answer. */
  reviewRemove: { params: z.object({ ids: z.array(z.string()).max(10_000) }), result: z.object({}) },
  /** The agreement of the people who labelled. */
  labelAgreement: { params: z.object({}), result: labelAgreementSchema },
} as const;
