/** Passages in requests, and what is said of them. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { probeRankSchema, probeSearchSchema } from '../../core/coverage-states.ts';
import type { KnownSupport, ProbeResults } from '../../core/coverage.ts';
import { judgementSchema, passageSchema } from '../../core/model.ts';
import { raisedSchema } from '../../core/validation/taken-errors.ts';

/** A passage however it was come by. */
export const storedPassageSchema = passageSchema.extend({
  slot: z.number().int(),
  /** Hash of the text alone: judgements are shared by passages with the same text. */
  hash: z.string(),
  /** Absolute path of the file. */
  path: z.string(),
  verbatim: z.boolean(),
  recordLine: z.number().int().optional(),
  /** Where a store says that it comes from: an address, or a path as whoever filled the store saw it. */
  source: z.string().optional(),
});

export const candidateSchema = storedPassageSchema.extend({
  score: z.number(),
  /** Its rank before the rerankers, from 1. */
  retrievedRank: z.number().int().optional(),
  /** The perspectives that a coverage reranker moved it up for, by a judge's answers. */
  raised: raisedSchema.optional(),
});

/** A retrieved passage with its score. */
export type Candidate = Read<typeof candidateSchema>;

/** A judgement of one pair; absent pairs are unjudged. */
export const judgedPairSchema = z.object({
  slot: z.number().int(),
  perspectiveId: z.string(),
  judgement: judgementSchema,
});
export type JudgedPair = Read<typeof judgedPairSchema>;

/** A passage of the corpus that is known to support a perspective. */
const supporterSchema = z.object({
  perspectiveId: z.string(),
  passageId: z.string(),
  /** For people. */
  name: z.string(),
});
export type Supporter = Read<typeof supporterSchema>;

/** Passages found by looking deeper for a perspective; see `ProbeResults`. */
const probeSchema = z.object({
  perspectiveId: z.string(),
  searches: z.array(probeSearchSchema),
  passages: z.array(
    z.object({
      slot: z.number().int(),
      passageId: z.string(),
      /** Name of the passage, for people. */
      name: z.string(),
      ...candidateSchema.pick({ documentId: true, lines: true, verbatim: true, text: true }).shape,
      ranks: z.array(probeRankSchema),
    }),
  ),
});
export type Probe = Read<typeof probeSchema>;

/** Judgements known without asking anybody: of the passages at hand, and of support anywhere in the corpus. */
export const knownSchema = z.object({
  pairs: z.array(judgedPairSchema),
  supporters: z.array(supporterSchema),
  /** The searches for perspectives that somebody looked deeper for; what was found is judged in the pairs. */
  probes: z.array(probeSchema),
});
export type Known = Read<typeof knownSchema>;

/** The supporters by perspective, in the form in which coverage is worked out. */
export function knownSupportOf({ supporters }: Pick<Known, 'supporters'>): Map<string, KnownSupport[]> {
  const grouped = Map.groupBy(supporters, ({ perspectiveId }) => perspectiveId);
  return new Map(
    [...grouped].map(([perspectiveId, own]) => [
      perspectiveId,
      own.map(({ passageId, name }) => ({ passageId, path: name })),
    ]),
  );
}

/** The probes by perspective, in that form. */
export function probeResultsOf({ probes }: Pick<Known, 'probes'>): Map<string, ProbeResults> {
  return new Map(probes.map((probe) => [probe.perspectiveId, probe]));
}
