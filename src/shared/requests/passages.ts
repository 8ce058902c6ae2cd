/** Passages in requests, and what is said of them. */
import * as z from 'zod';
import { PROBE_FORMS, type KnownSupport, type ProbeResults } from '../../core/coverage.ts';
import { judgementExtras } from '../../core/judging/record.ts';
import { judgementSourceSchema, spanSchema, verdictSchema } from '../../core/model-schemas.ts';
import { raisedSchema } from '../../core/validation/taken-errors.ts';

const lines = z.object({ startLine: z.number().int().min(0), endLine: z.number().int().min(0) });

export const candidateSchema = z.object({
  slot: z.number().int(),
  id: z.string(),
  documentId: z.string(),
  title: z.string(),
  /** Headings above it, `A › B`, or its page. */
  section: z.string().optional(),
  path: z.string(),
  text: z.string(),
  hash: z.string(),
  span: spanSchema,
  lines,
  verbatim: z.boolean(),
  recordLine: z.number().int().optional(),
  /** Of a passage from a store: the address or path of its document, as the store says. */
  source: z.string().optional(),
  score: z.number(),
  /** Its rank before the rerankers, from 1. */
  retrievedRank: z.number().int().optional(),
  /** What a coverage reranker moved it up for, by a judge's answers. */
  raised: raisedSchema.optional(),
});

/** A retrieved passage with its score. */
export type Candidate = z.output<typeof candidateSchema>;

/** A passage however it was come by. */
export const passageSchema = candidateSchema.omit({ score: true, retrievedRank: true, raised: true });

/** `Judgement` of src/core/model.ts, as it comes in from another process. */
export const judgementSchema = z.object({
  verdict: verdictSchema,
  evidence: z.array(spanSchema).readonly(),
  source: judgementSourceSchema,
  judge: z.string(),
  rationale: z.string().optional(),
  confidence: z.number().optional(),
  model: z.string().optional(),
  promptVersion: z.string().optional(),
  standard: z.string(),
  at: z.string(),
  chance: z.number().optional(),
  ...judgementExtras,
});

/** A judgement of one pair; absent pairs are unjudged. */
export const judgedPairSchema = z.object({
  slot: z.number().int(),
  perspectiveId: z.string(),
  judgement: judgementSchema,
});
export type JudgedPair = z.output<typeof judgedPairSchema>;

/** A passage of the corpus that is known to support a perspective. */
const supporterSchema = z.object({
  perspectiveId: z.string(),
  passageId: z.string(),
  /** For people. */
  name: z.string(),
});
export type Supporter = z.output<typeof supporterSchema>;

/** The rank of a passage in a search that looked deeper; see `ProbeRank`. */
export const probeRankSchema = z.object({
  retriever: z.string(),
  asked: z.enum(PROBE_FORMS),
  rank: z.number().int(),
});

/** Passages found by looking deeper for a perspective; see `ProbeResults`. */
const probeSchema = z.object({
  perspectiveId: z.string(),
  searches: z.array(probeRankSchema.omit({ rank: true })),
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
export type Probe = z.output<typeof probeSchema>;

/** Judgements known without asking anybody: of the passages at hand, and of support anywhere in the corpus. */
export const knownSchema = z.object({
  pairs: z.array(judgedPairSchema),
  supporters: z.array(supporterSchema),
  /** Of the perspectives that somebody looked deeper for; what was found is judged in the pairs. */
  probes: z.array(probeSchema),
});
export type Known = z.output<typeof knownSchema>;

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
