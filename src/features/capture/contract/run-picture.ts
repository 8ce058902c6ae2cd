/** A run of several searches in terms of a corpus: what each search added, and what its queries never reached. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { pipelineSchema } from '../../../core/pipeline.ts';
import { askedPerspectiveSchema, askedQuerySchema } from '../../../shared/requests/questions.ts';

const count = z.number().int().min(0);

const runSearchSchema = z.object({
  /** As the program asked it. */
  query: z.string(),
  /** Name of the retriever. */
  name: z.string(),
  /** Best first. */
  passages: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** Whether the corpus contains it. */
      recognised: z.boolean(),
      /** Ids of the perspectives that it is known to support. */
      supports: z.array(z.string()),
    }),
  ),
  /** Ids of the perspectives that a passage of this search supports and no earlier passage does. */
  gained: z.array(z.string()),
  /** The number of perspectives covered after it. */
  covered: count,
  /** The number of passages of earlier searches, and of near repeats of them. */
  seen: count,
  nearlySeen: count,
  /** At four characters a token. */
  tokens: count,
  /** `undefined` for a search without texts. */
  gainPerThousandTokens: z.number().optional(),
});
export type RunSearch = Read<typeof runSearchSchema>;

/** The orders to try: that of the retriever, MMR, and passages that cover new perspectives first. */
export const ORDERS = ['retrieved', 'mmr', 'covering'] as const;

const againSchema = z.object({
  /** The retriever that was asked, by its label. */
  retriever: z.string(),
  /** The number of passages of each search that were looked at. */
  depth: count,
  /** The perspectives that the run never reached. */
  lost: z.array(
    z.object({
      perspectiveId: z.string(),
      /** The number of passages of the corpus that are labelled as supporting it. */
      known: count,
      /** The best rank at which a query of the run finds one of them. */
      reached: z.object({ search: count, rank: count, passageId: z.string(), title: z.string() }).optional(),
    }),
  ),
  whatIfs: z.array(
    z.object({
      order: z.enum(ORDERS),
      leavesOutSeen: z.boolean(),
      /** The number of perspectives covered after each search. */
      covered: z.array(count),
      judgedPairs: count,
      pairs: count,
    }),
  ),
});
export type AskedAgainPicture = Read<typeof againSchema>;

export const runPictureSchema = z.object({
  /** The question of the run, or its first query if that is unknown. */
  question: z.string(),
  /** Of the question. Empty if they are unknown. */
  perspectives: z.array(askedPerspectiveSchema),
  searches: z.array(runSearchSchema),
  never: z.array(z.string()),
  /** The number of searches after the last one that gained a perspective. */
  searchesAfter: count,
  /** The number of distinct passages. */
  passages: count,
  judgedPairs: count,
  pairs: count,
  /** `undefined` if the queries were not asked again. */
  again: againSchema.optional(),
});
export type RunPicture = Read<typeof runPictureSchema>;

/** A search that a file contains. */
const toldSearchSchema = z.object({
  query: z.string().min(1),
  name: z.string(),
  /** Best first. */
  results: z.array(z.object({ id: z.string().optional(), text: z.string().optional(), score: z.number() })),
});

export const runPictureRequest = {
  params: z.object({
    corpus: z.string(),
    judge: z.string(),
    /** Questions with perspectives. If several have the same text, the first counts. */
    queries: z.array(askedQuerySchema.extend({ perspectives: z.array(askedPerspectiveSchema) })),
    run: z.union([
      z.object({ captured: z.string() }),
      z.object({ question: z.string().optional(), searches: z.array(toldSearchSchema).min(1) }),
    ]),
    /** Asks the run's queries again with the retriever of this pipeline. */
    again: pipelineSchema.optional(),
  }),
  result: runPictureSchema,
} as const;
