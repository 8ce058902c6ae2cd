/**
 * Requests of the editor (or the command line) to the engine, and of the engine to the editor. There is one schema per
 * request and result, and both ends validate what they receive. The requests are in requests/, by subject.
 */
import * as z from 'zod';
import { ERROR_IDS } from '../core/errors.ts';
import type { Read } from '../core/read.ts';
import { progressSchema } from './requests/progress.ts';
import { buildingRequests } from '../features/building/contract/requests.ts';
import { comparisonRequests } from '../features/compare/contract/requests.ts';
import { configurationRequests } from './requests/configuration.ts';
import { corpusRequests } from './requests/corpora.ts';
import { evaluationRequests } from '../features/gate/contract/requests.ts';
import { explainingRequests } from '../features/explain/contract/requests.ts';
import { experimentRequests } from './requests/experiments.ts';
import { foreignRequests } from './requests/foreign.ts';
import { judgingRequests } from './requests/judging.ts';
import { liveEventSchema, liveRequests } from '../features/live/contract/requests.ts';
import { judgedPairSchema } from './requests/passages.ts';
import { probingRequests } from '../features/look-deeper/contract/requests.ts';
import { reviewRequests } from '../features/review/contract/requests.ts';
import { searchRequests } from '../features/inspector/contract/requests.ts';
import { effortSchema } from './requests/spending.ts';
import { validationRequests } from '../features/validation/contract/requests.ts';

/** Requests the engine answers. */
export const engineMethods = {
  ...configurationRequests,
  ...corpusRequests,
  ...searchRequests,
  ...explainingRequests,
  ...judgingRequests,
  ...probingRequests,
  ...validationRequests,
  ...reviewRequests,
  ...comparisonRequests,
  ...evaluationRequests,
  ...experimentRequests,
  ...buildingRequests,
  ...foreignRequests,
  ...liveRequests,
} as const;
type EngineMethods = typeof engineMethods;
export type EngineMethod = keyof EngineMethods;
export type Params<M extends EngineMethod> = Read<EngineMethods[M]['params']>;
export type Result<M extends EngineMethod> = Read<EngineMethods[M]['result']>;

/** Reported while a request is running. `judgement` is sent for each answered pair, `captured` for each retrieval. */
export const progressNoteSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), progress: progressSchema }),
  z.object({ type: z.literal('judgement'), pair: judgedPairSchema }),
  /** The number of pairs behind the figures, of known ones, and the effort for judging the others. */
  z.object({
    type: z.literal('effort'),
    pairs: z.number().int(),
    known: z.number().int(),
    effort: effortSchema,
  }),
  /** A sentence on the part of the input that is left out. The work continues without it. */
  z.object({ type: z.literal('warning'), message: z.string() }),
  /** For OTEL_EXPORTER_OTLP_TRACES_ENDPOINT. Contains the token, so it is never logged. */
  z.object({ type: z.literal('capturing'), url: z.string() }),
  z.object({ type: z.literal('captured') }),
  /** A request to a model is about to be sent. Reported only with an allowance. */
  z.object({ type: z.literal('request') }),
  /** From a program whose calls are observed. */
  z.object({ type: z.literal('live'), event: liveEventSchema }),
]);
export type ProgressNote = Read<typeof progressNoteSchema>;

/** Requests that the editor answers for the engine, for the models it offers to extensions. */
export const hostMethods = {
  complete: {
    params: z.object({
      vendor: z.string().optional(),
      family: z.string().optional(),
      id: z.string().optional(),
      messages: z.array(z.object({ role: z.enum(['system', 'user']), content: z.string() })),
    }),
    result: z.object({ text: z.string(), model: z.string() }),
  },
} as const;
export type HostMethods = typeof hostMethods;

/** Wire names. */
export const ENGINE_PREFIX = 'engine/';
export const HOST_PREFIX = 'host/';
export const PROGRESS_NOTE = '$/parallax/progress';
export const LOG_NOTE = '$/parallax/log';

export const logNoteSchema = z.object({ level: z.enum(['info', 'warn', 'error']), message: z.string() });

/** The serialized form of a `ParallaxError`, as the data of a JSON-RPC error. */
export const wireErrorSchema = z.object({
  id: z.enum(ERROR_IDS),
  message: z.string(),
  corpus: z.string().optional(),
});
