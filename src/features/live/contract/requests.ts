/** Requests about running programs: what to observe, the resulting events, and repeated calls. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { aboutRecordSchema } from '../../../core/external/about-record.ts';
import {
  FAILED_ANSWER_REASONS,
  liveMeasureSchema,
  livePlannedCallSchema,
  liveUnitSchema,
  SKIP_REASONS,
} from './protocol.ts';

const count = z.number().int().min(0);

const observedTextSchema = z.object({
  /** Relative to the folder of the workspace, with slashes. */
  file: z.string().min(1),
  /** The text in which its calls were found. A file that has changed since is skipped. */
  text: z.string(),
  /** Index of the notebook's cell. */
  cell: count.optional(),
  calls: z.array(livePlannedCallSchema).min(1),
});
export type ObservedText = Read<typeof observedTextSchema>;

export const livePassageSchema = z.object({
  id: z.string().optional(),
  text: z.string().optional(),
  score: z.number().optional(),
  /** As in the store. Values may be nested. */
  metadata: z.record(z.string(), z.unknown()).optional(),
  about: aboutRecordSchema.optional(),
});
export type SeenPassage = Read<typeof livePassageSchema>;

const liveProcessSchema = z.object({
  /** Unique within the run. */
  process: z.string(),
  language: z.enum(['python', 'javascript']),
  version: z.string(),
  pid: count,
  command: z.array(z.string()),
});

const retrievalSchema = z.object({
  id: z.string(),
  process: z.string(),
  site: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
  durationMs: z.number(),
  request: z.string().optional(),
  /** `undefined` if the call got no text, such as a vector. */
  question: z.string().optional(),
  /** The k that was passed. The number of results is that of `passages`. */
  k: z.number().int().optional(),
  /** Best first. */
  passages: z.array(livePassageSchema),
  /** The number of passages that were too many to send. */
  more: count,
  /** Why there are no passages although there was a result. */
  none: z.enum(['positions', 'other']).optional(),
  units: z.array(liveUnitSchema),
  /** The number of earlier retrievals of the site that exceeded the limit per second. */
  dropped: count,
});
export type LiveRetrieval = Read<typeof retrievalSchema>;

const answerSchema = retrievalSchema.pick({
  passages: true,
  more: true,
  k: true,
  durationMs: true,
});
export type LiveAnswer = Read<typeof answerSchema>;

export const liveEventSchema = z.discriminatedUnion('type', [
  /** Programs can be started with the `liveEnvironment` of this plan. */
  z.object({
    type: z.literal('ready'),
    plan: z.string(),
    /** Whether programs of Node get the hooks. */
    node: z.boolean(),
    /** The version of Node if it is too old for them. */
    oldNode: z.string().optional(),
  }),
  z.object({ type: z.literal('process'), ...liveProcessSchema.shape }),
  z.object({ type: z.literal('process-ended'), process: z.string() }),
  z.object({ type: z.literal('instrumented'), process: z.string(), file: z.string(), calls: count }),
  z.object({
    type: z.literal('skipped'),
    process: z.string(),
    file: z.string(),
    reason: z.enum(SKIP_REASONS),
    detail: z.string().optional(),
    sites: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('retrieval'), ...retrievalSchema.shape }),
  /** The number of retrievals that exceeded the limit per second after the last sent one. */
  z.object({ type: z.literal('dropped'), process: z.string(), site: z.string(), count }),
  z.object({
    type: z.literal('failed-call'),
    process: z.string(),
    site: z.string(),
    at: z.number(),
    question: z.string().optional(),
    error: z.string(),
  }),
  /** The answer to a question of the run's `measure`. */
  z.object({ type: z.literal('answer'), question: z.string(), ...answerSchema.shape }),
  z.object({
    type: z.literal('failed-answer'),
    question: z.string(),
    /** `no-passages`: what the call returned is not read as passages. */
    reason: z.enum([...FAILED_ANSWER_REASONS, 'no-passages']),
    error: z.string().optional(),
  }),
  z.object({ type: z.literal('measured'), site: z.string(), unit: liveUnitSchema.optional() }),
  /** A line or a file of a process could not be read. The rest continues. */
  z.object({ type: z.literal('unreadable'), message: z.string() }),
]);
export type LiveEvent = Read<typeof liveEventSchema>;

export const liveRequests = {
  /**
   * Observes the calls of programs that are started with the environment of its plan, until cancelled. Then reads what
   * processes left when they ended. Every event is reported as `live`. Retrievals are also stored as captured ones.
   */
  'live/start': {
    params: z.object({
      texts: z.array(observedTextSchema),
      /** The file and the line, from 1, of each site, by its key. */
      sites: z.record(z.string(), z.object({ file: z.string(), line: z.number().int().min(1) })),
      measure: liveMeasureSchema.optional(),
      /** The command that is started, which may be another Node than the one on the path. */
      program: z.string().optional(),
      /** For captured retrievals. `newest` drops the oldest. */
      keep: z.enum(['newest', 'all', 'none']),
    }),
    result: z.object({}),
  },
  /**
   * Has the next program that is started with the plan measured: once it comes to the call, it is asked the questions.
   * Without `measure`, programs run as before.
   */
  'live/measure-next': {
    params: z.object({ plan: z.string(), measure: liveMeasureSchema.optional() }),
    result: z.object({}),
  },
  /**
   * Asks a question through a call of a running program. Rejects with `retriever-failed` if the call throws, is not
   * reached in time, or its program has ended.
   */
  'live/ask': {
    params: z.object({
      /** Id of a captured retrieval. */
      retrieval: z.string(),
      /** One of its `units`. */
      unit: z.string(),
      question: z.string(),
      /** Requests this many passages, if the call takes k. */
      k: z.number().int().min(1).optional(),
      /** Time limit in milliseconds. */
      limitMs: z.number().int().min(1),
    }),
    result: answerSchema,
  },
} as const;
