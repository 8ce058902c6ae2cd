/** Requests for the passages of one question, and for what their order rests on. */
import * as z from 'zod';
import { certaintySchema } from '../../core/external/certainty.ts';
import { shortfallSchema } from '../../core/external/shortfall.ts';
import { pipelineSchema, SEARCH_KINDS } from '../../core/pipeline.ts';
import { likenessSchema } from '../likeness.ts';
import { matchesSchema } from '../matches.ts';
import {
  LOOKED_AT,
  MAPPED_PIPELINES,
  mapChoiceSchema,
  mappedPassageSchema,
  passageMapSchema,
} from '../passage-map.ts';
import { takenErrorsSchema } from '../../core/validation/taken-errors.ts';
import { meaningSoFarSchema, noticesSchema } from './corpora.ts';
import { candidateSchema, knownSchema } from './passages.ts';
import { askedPerspectiveSchema, askedQuerySchema } from './questions.ts';

/** The three texts of a projected search. */
export const querySplitSchema = z.object({
  /** The question without a perspective. */
  root: z.string(),
  /** Absent where a model finds that nothing narrows the query down. */
  perspective: z.string().optional(),
  /** Both in one sentence. */
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
      /** Whose earlier answers, beside those of people, are wanted with the passages; nobody is asked. */
      judge: z.string().optional(),
      /** The most passages; as many as the pipeline shows or considers when left out. */
      depth: z.number().int().min(1).optional(),
      /** Somebody waits: passages without a vector of the encoder that ships are left to the background. */
      atOnce: z.boolean().optional(),
    }),
    result: z.object({
      candidates: z.array(candidateSchema),
      /** Absent where no judge was named. */
      known: knownSchema.optional(),
      /** How the judge that was named errs, where it was validated on labels of other questions. */
      validated: takenErrorsSchema.optional(),
      /** The notices of the corpus: a search may come upon something that this machine lacks. */
      notices: noticesSchema,
      search: z.enum(SEARCH_KINDS),
      milliseconds: z.number(),
      /** The parts of the query where a model takes it apart for the pipeline; no perspective where it found none. */
      splits: z.array(querySplitSchema).optional(),
      /** How what the user's own retriever returned was recognised; absent where none was asked. */
      matches: matchesSchema.optional(),
      /** A store returned fewer candidates than it was asked for. */
      short: shortfallSchema.optional(),
      /** How many passages meaning was compared for, where the search did not wait for all. */
      meaning: meaningSoFarSchema.optional(),
      /** How far the order of a projection over a store is that of all its passages. */
      certainty: certaintySchema.optional(),
      /** The error rates assumed of a judge that a coverage reranker asked. */
      takenErrors: takenErrorsSchema.optional(),
    }),
  },
  /** Compares the passages shown with the candidates that they were chosen from; nobody judges. */
  likeness: {
    params: z.object({
      corpus: z.string(),
      question: z.string(),
      pipeline: pipelineSchema,
      /** Slots in the pipeline's order, best first. */
      candidates: z.array(z.number().int()).max(10_000),
      /** Slots of those that are shown, best first. */
      top: z.array(z.number().int()).max(1000),
    }),
    result: likenessSchema,
  },
  /** Candidates as points of a plane, with what other pipelines show first, and other passages of the corpus. */
  passageMap: {
    params: mapChoiceSchema.extend({
      corpus: z.string(),
      query: askedQuerySchema,
      perspectives: z.array(askedPerspectiveSchema),
      pipeline: pipelineSchema,
      /** For people. */
      name: z.string(),
      /** Slots in the pipeline's order, best first. */
      candidates: z.array(z.number().int()).max(10_000),
      others: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })).max(MAPPED_PIPELINES - 1),
    }),
    result: passageMapSchema,
  },
  /** Passages of a map that only have their places there; those that vanished meanwhile are left out. */
  mappedPassages: {
    params: z.object({ corpus: z.string(), slots: z.array(z.number().int()).max(LOOKED_AT) }),
    result: z.object({ passages: z.array(mappedPassageSchema) }),
  },
  /** Cosines of all pairs of a pipeline's passages, [n, n] in the order of the slots, and whose vectors they are of. */
  similarities: {
    params: z.object({
      corpus: z.string(),
      pipeline: pipelineSchema,
      slots: z.array(z.number().int()).max(1000),
    }),
    result: z.object({ matrix: float64Array, embedder: z.string() }),
  },
  /**
   * The vectors that order passages under any weight of the pipeline's projection, or of PAP where it has none:
   * one entry per perspective; see `ReducedProjection`.
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
      /** Of each passage: its place among the others if all score the same. */
      order: z.array(z.number().int()),
    }),
  },
} as const;
