/** Passages in requests, and what is said of them. */
import * as z from 'zod';
import { judgementExtras } from '../../core/judging/record.ts';
import { judgementSourceSchema, spanSchema, verdictSchema } from '../../core/model-schemas.ts';

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
  score: z.number(),
  /** Its rank before the rerankers, from 1. */
  retrievedRank: z.number().int().optional(),
});

/** A retrieved passage with its score. */
export type Candidate = z.output<typeof candidateSchema>;

/** A passage however it was come by. */
export const passageSchema = candidateSchema.omit({ score: true, retrievedRank: true });

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

/** Judgements known without asking anybody: of the passages at hand, and of support anywhere in the corpus. */
export const knownSchema = z.object({
  pairs: z.array(judgedPairSchema),
  supporters: z.array(supporterSchema),
});
export type Known = z.output<typeof knownSchema>;
