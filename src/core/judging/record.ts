/** Schemas of a judgement's fields beyond its verdict: it is read back from caches and off the wire. */
import * as z from 'zod';
import { decidedVerdictSchema, judgementSourceSchema, spanSchema } from '../model-schemas.ts';

const amount = z.number().min(0);

const costSchema = z.object({
  requests: amount,
  promptTokens: amount.optional(),
  completionTokens: amount.optional(),
  milliseconds: amount,
});

const argument = z.object({
  model: z.string(),
  label: decidedVerdictSchema.optional(),
  argument: z.string(),
  evidence: z.array(spanSchema).readonly(),
  unparsable: z.string().optional(),
});

const rounds = z
  .array(z.array(argument.extend({ initialStance: decidedVerdictSchema })).readonly())
  .readonly();

export const debateSchema = z.object({
  rounds,
  adjudication: argument.optional(),
  further: rounds.optional(),
});

const escalationSchema = z.enum(['adjudicator', 'human']);

/** The fields that only some judgements have. */
export const judgementExtras = {
  cost: costSchema.optional(),
  debate: debateSchema.optional(),
  escalated: escalationSchema.optional(),
  stage: z.string().optional(),
  evidenceNotFound: z.boolean().optional(),
  ofDocument: z.boolean().optional(),
};

/** Whose answer it is, where one judge passes on the answers of others. */
export const provenanceSchema = z.object({
  source: judgementSourceSchema,
  model: z.string().optional(),
  promptVersion: z.string().optional(),
  standard: z.string(),
});
