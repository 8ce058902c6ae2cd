/** Requests about external retrieval: the user's retrievers and stores, running programs, search providers. */
import * as z from 'zod';
import { externalRetrieverSchema } from '../../core/external/spec.ts';
import { storeRetrieverSchema } from '../../core/external/stores.ts';
import { behaviourRequest } from '../../features/behaviour/contract/behaviour.ts';
import { capturedSchema, keptSpansSchema, takenSchema } from '../../features/capture/contract/captured.ts';
import { listenSchema } from '../../features/capture/contract/listening.ts';
import { runPictureRequest } from '../../features/capture/contract/run-picture.ts';
import { toolsSchema } from '../../features/capture/core/own-tools.ts';
import { fetchWebSchema, webReportSchema } from '../../features/web-corpus/contract/web.ts';
import { askedPerspectiveSchema, askedQuerySchema } from './questions.ts';

export const foreignRequests = {
  /** Whether one of the user's own retrievers works, with a sentence on the problem if not. */
  checkRetriever: {
    params: z.object({ retriever: externalRetrieverSchema }),
    result: z.object({ ok: z.boolean(), message: z.string(), count: z.number().int().optional() }),
  },
  /**
   * Asks a pipeline in several variants and compares the answers: label-free checks of properties that every retriever
   * should have.
   */
  checkBehaviour: behaviourRequest,
  /** Adds the passages of a corpus with their vectors to a store. Passages whose ids it has stay unchanged. */
  push: {
    params: z.object({
      corpus: z.string(),
      store: storeRetrieverSchema,
      /** Whether to create a missing table or collection. */
      create: z.boolean(),
      /** Whether it gets a vector index if the store leaves that open. Defaults to true. */
      indexed: z.boolean().optional(),
    }),
    result: z.object({
      added: z.number().int(),
      /** The number of passages that already existed. */
      held: z.number().int(),
      /** The number of those with another text in the store. */
      differing: z.number().int(),
      /** A sentence on the part of a new table that could not be created. */
      lack: z.string().optional(),
    }),
  },
  /**
   * Receives what an instrumented program retrieves until cancelled, then ends. Reports the URL once as `capturing`,
   * and everything that arrives as `captured`.
   */
  capture: {
    params: z.object({
      /** Defaults to this machine only, at any port. */
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
  /** Returns and removes everything that was captured, without matching to a corpus. */
  takeCaptured: { params: z.object({}), result: takenSchema },
  /** The newest captured retrievals, matched to a corpus, and other spans. No model is asked. */
  captured: {
    params: z.object({
      corpus: z.string(),
      judge: z.string(),
      /** Questions with perspectives. If several have the same text, the first counts. */
      queries: z.array(askedQuerySchema.extend({ perspectives: z.array(askedPerspectiveSchema) })),
      /** The id of a known retrieval: only newer ones are returned, or all if it was dropped. */
      after: z.string().optional(),
    }),
    result: capturedSchema,
  },
  /** Writes what a captured retrieval returned to a file, as a `run` retriever reads it. */
  writeCaptured: {
    params: z.object({ id: z.string(), question: z.string(), file: z.string().min(1) }),
    result: z.object({}),
  },
  /** A run of several searches: what each added, and what its queries never reached. No judge is asked. */
  runPicture: runPictureRequest,
  forgetCaptured: { params: z.object({}), result: z.object({}) },
  /**
   * Stores the pages that a search provider finds for queries as a snapshot in the workspace. Continues where it
   * stopped.
   */
  fetchWeb: { params: fetchWebSchema, result: webReportSchema },
} as const;
