/** Where a perspective is lost, and how far somebody looked for it: said by the engine, kept, and shown by panels. */
import * as z from 'zod';
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
  mrecall: z.number().optional(),
  /** In [0, 1], divided by k; absent without perspectives. */
  precision: z.number().optional(),
  /** How many perspectives the top k cover. */
  covered: count,
  /** Pairs of a passage in the top k and a perspective that have a verdict; "unsure" is one. */
  judgedPairs: count,
  /** Those among them whose verdict is "unsure": no support until a person says so. */
  unsurePairs: count,
  pairs: count,
});
export type CoverageMetrics = Read<typeof coverageMetricsSchema>;

export const perspectiveCoverageSchema = z.discriminatedUnion('where', [
  z.object({ where: z.literal('covered'), perspectiveId: z.string(), rank: count }),
  /** A supporting passage was retrieved, below k. */
  z.object({
    where: z.literal('below-k'),
    perspectiveId: z.string(),
    rank: count,
    passageId: z.string(),
    /** How many candidates above it are unjudged, and may support it, too; absent where none is. */
    unjudgedAbove: count.optional(),
  }),
  /** The corpus holds a supporting passage, but it is not among the candidates. */
  z.object({
    where: z.literal('not-retrieved'),
    perspectiveId: z.string(),
    passageId: z.string(),
    path: z.string(),
    candidates: count,
    /** How many of the candidates are unjudged, and may support it, too; absent where none is. */
    unjudgedCandidates: count.optional(),
    /** Ranks of the passage in the searches that looked deeper. */
    foundBy: z.array(probeRankSchema).optional(),
  }),
  /** Nobody has judged any passage for it; this many of the top k are unjudged. */
  z.object({
    where: z.literal('unjudged'),
    perspectiveId: z.string(),
    unjudged: count,
    probed: probeReachSchema.optional(),
  }),
  /**
   * None of the passages that were judged for it supports it. Only where these are all passages of the corpus it is
   * not in there.
   */
  z.object({
    where: z.literal('not-found'),
    perspectiveId: z.string(),
    /** Passages that were judged for it; and how many there are, where that is known. */
    judged: count,
    passages: count.optional(),
    /** Verdicts on candidates that may still be decided. */
    unsure: count,
    /** Of the top k. */
    unjudged: count,
    probed: probeReachSchema.optional(),
  }),
]);
/**
 * Where a perspective is lost, or the rank (from 1) at which it first appears within k: the one type of state that every
 * surface shows. Where nothing is known to support it the state is the same for every pipeline that shares the
 * judgements, and says what it rests on: that something is not in a corpus does not follow from silence.
 */
export type PerspectiveCoverage = Read<typeof perspectiveCoverageSchema>;
