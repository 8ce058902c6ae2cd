/** Requests about pairs that wait for people. */
import * as z from 'zod';
import { verdictSchema } from '../../core/model-schemas.ts';
import {
  labelAgreementSchema,
  reviewAddedSchema,
  reviewEntrySchema,
  reviewQueueSchema,
  saidSchema,
} from '../review.ts';
import { matterSchema } from './judging.ts';
import { judgementSchema, passageSchema } from './passages.ts';
import { evalQuerySchema } from './questions.ts';

export const reviewRequests = {
  /** Pairs that wait for a person's answer. */
  reviewQueue: { params: z.object({ by: z.string() }), result: reviewQueueSchema },
  /** One of them, with what helps to decide it. */
  reviewItem: {
    params: z.object({ id: z.string() }),
    result: z.object({
      entry: reviewEntrySchema,
      passage: passageSchema,
      standard: z.object({ id: z.string(), summary: z.string() }),
      /** What judges say, where that has to be decided. */
      opinions: z.array(judgementSchema),
      /** What people said before, where they are divided or contradict a judge. */
      said: z.array(saidSchema),
    }),
  },
  /** Puts pairs into the queue that fit; `seed` makes a random choice repeatable. */
  reviewAdd: {
    params: z.discriminatedUnion('from', [
      /** What judges left to people, and what they contradict each other or people in. */
      z.object({ from: z.literal('memory'), corpus: z.string(), queries: z.array(evalQuerySchema) }),
      /** Judged pairs at random. */
      z.object({
        from: z.literal('sample'),
        corpus: z.string(),
        judge: z.string(),
        queries: z.array(evalQuerySchema),
        count: z.number().int().min(1).max(1000),
        people: z.number().int().min(1).max(3),
        seed: z.number().int(),
      }),
      /** Pairs whose answer is known, to see how carefully a person reads. */
      z.object({
        from: z.literal('attention'),
        corpus: z.string(),
        queries: z.array(evalQuerySchema),
        count: z.number().int().min(1).max(100),
        by: z.string(),
        seed: z.number().int(),
      }),
      /** What nobody has judged of a query's passages. */
      matterSchema.extend({ from: z.literal('query') }),
      /** What nobody has judged in the top k of a kept comparison. */
      z.object({ from: z.literal('comparison'), id: z.string() }),
    ]),
    result: reviewAddedSchema,
  },
  /** A label, or the answer to an attention check; `at` names it when it is to be taken back. */
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
  /** Puts a pair behind all others. */
  reviewSkip: { params: z.object({ id: z.string() }), result: z.object({}) },
  /** Takes pairs out of the queue without an answer. */
  reviewRemove: { params: z.object({ ids: z.array(z.string()).max(10_000) }), result: z.object({}) },
  /** How far the people who labelled agree. */
  labelAgreement: { params: z.object({}), result: labelAgreementSchema },
} as const;
