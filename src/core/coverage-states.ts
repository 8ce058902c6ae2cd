/** The states of a perspective under a pipeline, and the coverage of one query: one vocabulary for every surface. */
import * as z from 'zod';
import { measuredSchema } from './measured.ts';
import type { Read } from './read.ts';

const count = z.number().int();

/** Texts that a perspective is searched for by: itself, or the question and it. */
export const PROBE_FORMS = ['perspective', 'question-perspective'] as const;

export const probeSearchSchema = z.object({
  /** For people, as `retrieverLabel` has it. */
  retriever: z.string(),
  asked: z.enum(PROBE_FORMS),
});
/** A search that was made to find a perspective, whatever the pipeline. */
export type ProbeSearch = Read<typeof probeSearchSchema>;

export const probeRankSchema = probeSearchSchema.extend({ rank: count });
/** The rank of a passage in such a search, from 1. */
export type ProbeRank = Read<typeof probeRankSchema>;

const probeReachSchema = z.object({
  searches: count,
  found: count,
  /** The first so many of those found are judged, without a gap. */
  judged: count,
});
/** How far the results of looking deeper were judged. */
export type ProbeReach = Read<typeof probeReachSchema>;

export const coverageMetricsSchema = z.object({
  k: count,
  /** 0 or 1; absent without perspectives. */
  mrecall: measuredSchema.optional(),
  /** In [0, 1], divided by k; absent without perspectives. */
  precision: measuredSchema.optional(),
  /** The number of perspectives that the top k cover. */
  covered: measuredSchema,
  /** Pairs of a passage in the top k and a perspective that have a verdict; "unsure" is one. */
  judgedPairs: count,
  /** Those among them whose verdict is "unsure": no support until a person says so. */
  unsurePairs: count,
  pairs: count,
});
export type CoverageMetrics = Read<typeof coverageMetricsSchema>;

const perspective = {
  perspectiveId: z.string(),
  /** The number of passages of the top k that may yet cover it; absent if none may, or if it is covered. */
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
  /** The number of candidates above it that are unjudged, and may support it, too; absent if there is none. */
  unjudgedAbove: count.optional(),
});

/** An exact search has a supporting passage among its candidates that the approximate search left out. */
const approximateMissSchema = z.object({
  where: z.literal('approximate-miss'),
  ...perspective,
  /** Rank (from 1) at which the exact search first supports the perspective. */
  exactRank: count,
  passageId: z.string(),
  /** Rank below k at which the approximate search first supports it; absent if none of its candidates does. */
  rank: count.optional(),
});

/** The corpus has a supporting passage, but it is not among the candidates. */
const notRetrievedSchema = z.object({
  where: z.literal('not-retrieved'),
  ...perspective,
  passageId: z.string(),
  path: z.string(),
  candidates: count,
  /** The number of candidates that are unjudged, and may support it, too; absent if there is none. */
  unjudgedCandidates: count.optional(),
  /** Ranks of the passage in the searches that looked deeper. */
  foundBy: z.array(probeRankSchema).optional(),
});

/** No passage is judged for it; this many of the top k are unjudged. */
const unjudgedSchema = z.object({
  where: z.literal('unjudged'),
  ...perspective,
  unjudged: count,
  probed: probeReachSchema.optional(),
});

/**
 * None of the passages that were judged for it supports it. It is absent from the corpus only if these are all of its
 * passages.
 */
const notFoundSchema = z.object({
  where: z.literal('not-found'),
  ...perspective,
  /** Passages that were judged for it, and how many there are if that is known. */
  judged: count,
  passages: count.optional(),
  /** Verdicts on candidates that may still be decided. */
  unsure: count,
  /** Of the top k. */
  unjudged: count,
  probed: probeReachSchema.optional(),
});

/** A state as the candidates of one search tell it. */
export const perspectiveCoverageSchema = z.discriminatedUnion('where', [
  coveredSchema,
  belowKSchema,
  notRetrievedSchema,
  unjudgedSchema,
  notFoundSchema,
]);
export type PerspectiveCoverage = Read<typeof perspectiveCoverageSchema>;

/**
 * The rank (from 1) at which a perspective first appears within k, or where it is lost: the one type of state that every
 * surface shows. If nothing is known to support it, the state is the same for every pipeline that shares the judgements.
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

/** From the beginning of retrieval to its end; `covered` is not lost. */
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
