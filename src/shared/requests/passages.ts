/** Passages in requests, and judgements about them. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { probeRankSchema, probeSearchSchema } from '../../core/coverage-states.ts';
import type { KnownSupport, ProbeResults } from '../../core/coverage.ts';
import { judgementSchema, passageSchema } from '../../core/model.ts';
import { raisedSchema } from '../../features/validation/core/taken-errors.ts';

/** A passage from any request. */
export const storedPassageSchema = passageSchema.extend({
  slot: z.number().int(),
  /** Hash of the text. Passages with the same text share judgements. */
  hash: z.string(),
  /** Absolute path of the file. */
  path: z.string(),
  verbatim: z.boolean(),
  recordLine: z.number().int().optional(),
  /** The source that a store gives: a URL, or a path on the machine that filled the store. */
  source: z.string().optional(),
});

export const candidateSchema = storedPassageSchema.extend({
  score: z.number(),
  /** Its rank before the rerankers, from 1. */
  retrievedRank: z.number().int().optional(),
  /** The perspectives for which a coverage reranker moved it up, by a judge's answers. */
  raised: raisedSchema.optional(),
});

/** A retrieved passage with its score. */
export type Candidate = Read<typeof candidateSchema>;

/** A judgement of one pair. Missing pairs are unjudged. */
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
  /** Display name. */
  name: z.string(),
});
export type Supporter = Read<typeof supporterSchema>;

/** Passages found by deeper searches for a perspective, see `ProbeResults`. */
const probeSchema = z.object({
  perspectiveId: z.string(),
  searches: z.array(probeSearchSchema),
  passages: z.array(
    z.object({
      slot: z.number().int(),
      passageId: z.string(),
      /** Display name of the passage. */
      name: z.string(),
      ...candidateSchema.pick({ documentId: true, lines: true, verbatim: true, text: true }).shape,
      ranks: z.array(probeRankSchema),
    }),
  ),
});
export type Probe = Read<typeof probeSchema>;

/** Judgements known without requests, about the given passages and about support anywhere in the corpus. */
export const knownSchema = z.object({
  pairs: z.array(judgedPairSchema),
  supporters: z.array(supporterSchema),
  /** Deeper searches for perspectives. Verdicts on the results are in the pairs. */
  probes: z.array(probeSchema),
});
export type Known = Read<typeof knownSchema>;

/** The supporters by perspective, as input of coverage. */
export function knownSupportOf({ supporters }: Pick<Known, 'supporters'>): Map<string, KnownSupport[]> {
  const grouped = Map.groupBy(supporters, ({ perspectiveId }) => perspectiveId);
  return new Map(
    [...grouped].map(([perspectiveId, passages]) => [
      perspectiveId,
      passages.map(({ passageId, name }) => ({ passageId, path: name })),
    ]),
  );
}

/** The probes by perspective, as input of coverage. */
export function probeResultsOf({ probes }: Pick<Known, 'probes'>): Map<string, ProbeResults> {
  return new Map(probes.map((probe) => [probe.perspectiveId, probe]));
}
