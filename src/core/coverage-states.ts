/** The states of a perspective under a pipeline, and the coverage of one query. */
import * as z from 'zod';
import { measuredSchema } from './measured.ts';
import type { Read } from './read.ts';

const count = z.number().int();

/** The text of a search for a perspective: the perspective, or the question followed by it. */
export const PROBE_FORMS = ['perspective', 'question-perspective'] as const;

export const probeSearchSchema = z.object({
  /** Display name, from `retrieverLabel`. */
  retriever: z.string(),
  asked: z.enum(PROBE_FORMS),
});
/** A search for a perspective beyond the pipeline. */
export type ProbeSearch = Read<typeof probeSearchSchema>;

export const probeRankSchema = probeSearchSchema.extend({ rank: count });
/** The rank of a passage in such a search, from 1. */
export type ProbeRank = Read<typeof probeRankSchema>;

const probeReachSchema = z.object({
  searches: count,
  found: count,
  /** The results judged without a gap, from the first. */
  judged: count,
});
/** How far the results of deeper searches are judged. */
export type ProbeReach = Read<typeof probeReachSchema>;

export const coverageMetricsSchema = z.object({
  k: count,
  /** 0 or 1. `undefined` without perspectives. */
  mrecall: measuredSchema.optional(),
  /** In [0, 1], divided by k. `undefined` without perspectives. */
  precision: measuredSchema.optional(),
  /** The number of perspectives that the top k cover. */
  covered: measuredSchema,
  /** Pairs of a passage in the top k and a perspective with a verdict, including "unsure". */
  judgedPairs: count,
  /** Pairs whose verdict is "unsure". They count as not supporting until a person decides. */
  unsurePairs: count,
  pairs: count,
});
export type CoverageMetrics = Read<typeof coverageMetricsSchema>;

const perspective = {
  perspectiveId: z.string(),
  /**
   * The number of passages of the top k that may still cover it. `undefined` if there are none, or if it is covered.
   */
  open: count.optional(),
};

/** The first supporting passage is within the top k. */
const coveredSchema = z.object({ where: z.literal('covered'), ...perspective, rank: count });

/** A supporting passage was retrieved, below k. */
const belowKSchema = z.object({
  where: z.literal('below-k'),
  ...perspective,
  rank: count,
  passageId: z.string(),
  /** The number of unjudged candidates above it, which may support it too. `undefined` if there are none. */
  unjudgedAbove: count.optional(),
});

/** An exact search finds a supporting candidate that the approximate search missed. */
const approximateMissSchema = z.object({
  where: z.literal('approximate-miss'),
  ...perspective,
  /** Rank (from 1) at which the exact search first supports the perspective. */
  exactRank: count,
  passageId: z.string(),
  /** Rank below k at which the approximate search first supports it. `undefined` if no candidate does. */
  rank: count.optional(),
});

/** The corpus has a supporting passage that is not among the candidates. */
const notRetrievedSchema = z.object({
  where: z.literal('not-retrieved'),
  ...perspective,
  passageId: z.string(),
  path: z.string(),
  candidates: count,
  /** The number of unjudged candidates, which may support it too. `undefined` if there are none. */
  unjudgedCandidates: count.optional(),
  /** Ranks of the passage in deeper searches. */
  foundBy: z.array(probeRankSchema).optional(),
});

/** No passage is judged for it. */
const unjudgedSchema = z.object({
  where: z.literal('unjudged'),
  ...perspective,
  unjudged: count,
  probed: probeReachSchema.optional(),
});

/** No judged passage supports it. It is absent from the corpus only if all passages are judged. */
const notFoundSchema = z.object({
  where: z.literal('not-found'),
  ...perspective,
  /** Passages judged for it, and the number of all passages if known. */
  judged: count,
  passages: count.optional(),
  /** Candidates with an "unsure" verdict. */
  unsure: count,
  /** Unjudged passages of the top k. */
  unjudged: count,
  probed: probeReachSchema.optional(),
});

/** A state determined from the candidates of one search. */
export const perspectiveCoverageSchema = z.discriminatedUnion('where', [
  coveredSchema,
  belowKSchema,
  notRetrievedSchema,
  unjudgedSchema,
  notFoundSchema,
]);
export type PerspectiveCoverage = Read<typeof perspectiveCoverageSchema>;

/**
 * The rank (from 1) at which a perspective first appears within k, or where it is lost. All outputs use this type. If
 * no passage is known to support it, the state is the same for every pipeline with the same judgements.
 */
export const perspectiveStateSchema = z.discriminatedUnion('where', [
  coveredSchema,
  belowKSchema,
  approximateMissSchema,
  notRetrievedSchema,
  unjudgedSchema,
  notFoundSchema,
]);
export type PerspectiveState = Read<typeof perspectiveStateSchema>;
export type Place = PerspectiveState['where'];

/** In pipeline order. `covered` is not a loss. */
export const PLACES = [
  'covered',
  'below-k',
  'approximate-miss',
  'not-retrieved',
  'unjudged',
  'not-found',
] as const satisfies readonly Place[];

export const placeSchema = z.enum(PLACES);

/** The rank of the first candidate that supports a perspective; `undefined` if none does. */
export function rankOf(state: PerspectiveState): number | undefined {
  return 'rank' in state ? state.rank : undefined;
}
