/** Requests for the passages of one question, and for the data behind their order. */
import * as z from 'zod';
import { certaintySchema } from '../../../core/external/certainty.ts';
import { shortfallSchema } from '../../../core/external/shortfall.ts';
import { pipelineSchema, SEARCH_KINDS } from '../../../core/pipeline.ts';
import { likenessSchema } from '../../../shared/likeness.ts';
import { matchesSchema } from '../../../shared/matches.ts';
import {
  LOOKED_AT,
  MAPPED_PIPELINES,
  mappedPassageSchema,
  passageMapSchema,
  sampleSizeSchema,
} from '../../map/contract/passage-map.ts';
import { takenErrorsSchema } from '../../validation/core/taken-errors.ts';
import { meaningSoFarSchema, noticesSchema } from '../../../shared/requests/corpora.ts';
import { candidateSchema, knownSchema } from '../../../shared/requests/passages.ts';
import { askedPerspectiveSchema, askedQuerySchema } from '../../../shared/requests/questions.ts';

/** The three texts of a projected search. */
export const querySplitSchema = z.object({
  /** The question without a perspective. */
  root: z.string(),
  /** `undefined` if the model finds no perspective in the query. */
  perspective: z.string().optional(),
  /** Root and perspective in one sentence. */
  full: z.string(),
});

const float64Array = z.custom<Float64Array>((value) => value instanceof Float64Array);

export const searchRequests = {
  search: {
    params: z.object({
      corpus: z.string(),
      query: askedQuerySchema,
      perspectives: z.array(askedPerspectiveSchema),
      pipeline: pipelineSchema,
      /** The judge whose stored answers to return with the passages, beside people's. No judge is asked. */
      judge: z.string().optional(),
      /** The most passages. Defaults to what the pipeline shows or considers. */
      depth: z.number().int().min(1).optional(),
      /** Whether the user is waiting: embedding missing vectors with the included encoder is left to the background. */
      atOnce: z.boolean().optional(),
    }),
    result: z.object({
      candidates: z.array(candidateSchema),
      /** `undefined` without `judge`. */
      known: knownSchema.optional(),
      /** The error rates of `judge`, if it was validated on labels of other questions. */
      validated: takenErrorsSchema.optional(),
      /** The notices of the corpus, as a search may find that a component is missing. */
      notices: noticesSchema,
      search: z.enum(SEARCH_KINDS),
      milliseconds: z.number(),
      /** The parts of the query if a model splits it for the pipeline. Without a perspective if it found none. */
      splits: z.array(querySplitSchema).optional(),
      /** How the results of a user's own retriever were matched. `undefined` if none was asked. */
      matches: matchesSchema.optional(),
      /** Set if a store returned fewer candidates than requested. */
      short: shortfallSchema.optional(),
      /** Progress of embedding, if the search did not wait for all passages. */
      meaning: meaningSoFarSchema.optional(),
      /** How far the order of a projection over a store is certain. */
      certainty: certaintySchema.optional(),
      /** The error rates assumed for the judge of a coverage reranker. */
      takenErrors: takenErrorsSchema.optional(),
    }),
  },
  /** Compares the shown passages with the candidates they were chosen from. No judge is asked. */
  likeness: {
    params: z.object({
      corpus: z.string(),
      question: z.string(),
      pipeline: pipelineSchema,
      /** Slots in the pipeline's order, best first. */
      candidates: z.array(z.number().int()).max(10_000),
      /** Slots of the shown passages, best first. */
      top: z.array(z.number().int()).max(1000),
    }),
    result: likenessSchema,
  },
  /** Candidates as points of a plane, with the top of other pipelines and other passages of the corpus. */
  passageMap: {
    params: z.object({
      sample: sampleSizeSchema,
      corpus: z.string(),
      query: askedQuerySchema,
      perspectives: z.array(askedPerspectiveSchema),
      pipeline: pipelineSchema,
      /** Display name. */
      name: z.string(),
      /** Slots in the pipeline's order, best first. */
      candidates: z.array(z.number().int()).max(10_000),
      others: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })).max(MAPPED_PIPELINES - 1),
    }),
    result: passageMapSchema,
  },
  /** Details of passages that the map only has as points. Deleted passages are left out. */
  mappedPassages: {
    params: z.object({ corpus: z.string(), slots: z.array(z.number().int()).max(LOOKED_AT) }),
    result: z.object({ passages: z.array(mappedPassageSchema) }),
  },
  /** Cosines of all pairs of a pipeline's passages, [n, n] in the order of the slots, and the embedder. */
  similarities: {
    params: z.object({
      corpus: z.string(),
      pipeline: pipelineSchema,
      slots: z.array(z.number().int()).max(1000),
    }),
    result: z.object({ matrix: float64Array, embedder: z.string() }),
  },
  /**
   * The vectors that order passages under any weight of the pipeline's projection, or of PAP if it has none: one entry
   * per perspective, see `ReducedProjection`.
   */
  projections: {
    params: z.object({
      corpus: z.string(),
      query: askedQuerySchema,
      perspectives: z.array(askedPerspectiveSchema),
      pipeline: pipelineSchema,
      slots: z.array(z.number().int()).max(10_000),
    }),
    result: z.object({
      projections: z.array(
        z.object({
          query: float64Array,
          root: float64Array,
          perspective: float64Array,
          passages: float64Array,
        }),
      ),
      /** The position of each passage among the others if all scores are equal. */
      order: z.array(z.number().int()),
    }),
  },
} as const;
