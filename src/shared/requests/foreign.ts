/** Requests about what others retrieve: retrievers and stores of the user, running programs, search providers. */
import * as z from 'zod';
import { externalRetrieverSchema } from '../../core/external/spec.ts';
import { storeRetrieverSchema } from '../../core/external/stores.ts';
import { behaviourRequest } from '../behaviour.ts';
import { capturedSchema, keptSpansSchema, takenSchema } from '../capture/captured.ts';
import { listenSchema } from '../capture/listening.ts';
import { toolsSchema } from '../../core/capture/own-tools.ts';
import { fetchWebSchema, webReportSchema } from '../web.ts';
import { askedPerspectiveSchema, askedQuerySchema } from './questions.ts';

export const foreignRequests = {
  /** Whether one of the user's own retrievers can be asked, as a sentence that says why not where it cannot. */
  checkRetriever: {
    params: z.object({ retriever: externalRetrieverSchema }),
    result: z.object({ ok: z.boolean(), message: z.string(), count: z.number().int().optional() }),
  },
  /** Asks a pipeline in several ways and compares the answers: what has to hold of every retriever, without any labels. */
  checkBehaviour: behaviourRequest,
  /** Adds the passages of a corpus, with their vectors, to a store; those whose ids it holds stay there as they are. */
  push: {
    params: z.object({
      corpus: z.string(),
      store: storeRetrieverSchema,
      /** Whether a table or collection that is not there is made. */
      create: z.boolean(),
      /** Whether that gets an index for its vectors, where the store leaves it open; it does when left out. */
      indexed: z.boolean().optional(),
    }),
    result: z.object({
      added: z.number().int(),
      /** They were there before. */
      held: z.number().int(),
      /** How many of those have another text there. */
      differing: z.number().int(),
      /** The part of a new table that could not be made, in a sentence. */
      lack: z.string().optional(),
    }),
  },
  /**
   * Receives what an instrumented program retrieves until it is cancelled, and then ends. Where to send it is
   * reported once, as `capturing`; everything that arrives is reported as `captured`.
   */
  capture: {
    params: z.object({
      /** On this machine alone, at any port, when left out. */
      listen: listenSchema.optional(),
      keep: keptSpansSchema,
      tools: toolsSchema.optional(),
    }),
    result: z.object({}),
  },
  /** Reads a file of OpenTelemetry spans as if they had been received. */
  importSpans: {
    params: z.object({
      file: z.string().min(1),
      keep: keptSpansSchema,
      tools: toolsSchema.optional(),
    }),
    result: z.object({ retrievals: z.number().int(), unused: z.number().int() }),
  },
  /** Everything that was captured as it came, in terms of no corpus; it is forgotten then. */
  takeCaptured: { params: z.object({}), result: takenSchema },
  /** The newest retrievals that were captured, recognised in a corpus, and what else came; no model is asked. */
  captured: {
    params: z.object({
      corpus: z.string(),
      judge: z.string(),
      /** Questions that perspectives are known of; of several with the same text the first counts. */
      queries: z.array(askedQuerySchema.extend({ perspectives: z.array(askedPerspectiveSchema) })),
      /** Id of one that is known: only newer ones are told, and all where it was forgotten. */
      after: z.string().optional(),
    }),
    result: capturedSchema,
  },
  forgetCaptured: { params: z.object({}), result: z.object({}) },
  /** The pages that a search provider finds for queries, as a snapshot in the workspace; goes on where it stopped. */
  fetchWeb: { params: fetchWebSchema, result: webReportSchema },
} as const;
