/** Cost of requests that ask models, and limits on it. */
import * as z from 'zod';

const rangeSchema = z.object({ least: z.number(), most: z.number() });

export const effortSchema = z.object({
  requests: rangeSchema,
  promptTokens: rangeSchema,
  completionTokens: rangeSchema,
  price: rangeSchema.optional(),
  mayAskAgain: z.boolean().optional(),
});

/** Per million tokens, by model. */
export const pricesSchema = z
  .record(z.string(), z.object({ input: z.number().min(0), output: z.number().min(0) }))
  .optional();

export const budgetSchema = z.object({
  requests: z.number().int().min(0).optional(),
  tokens: z.number().int().min(0).optional(),
});
