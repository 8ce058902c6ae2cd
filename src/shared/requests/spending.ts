/** Cost of requests that ask models, and limits on it. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

/** Between the least and the most that can come of it. */
const rangeSchema = z.object({ least: z.number(), most: z.number() });
export type Range = Read<typeof rangeSchema>;

export const effortSchema = z.object({
  requests: rangeSchema,
  /** Estimated from the length of the texts. */
  promptTokens: rangeSchema,
  completionTokens: rangeSchema,
  /** Absent where the price of a model that may be asked is not known. */
  price: rangeSchema.optional(),
  /** At most as many requests again may follow, about quotations that are not in the passage; not part of the rest. */
  mayAskAgain: z.boolean().optional(),
});
export type Effort = Read<typeof effortSchema>;

/** Per million tokens, in whatever currency the table is written in; by model, as `parallax.json` names it. */
const priceTableSchema = z.record(
  z.string(),
  z.object({ input: z.number().min(0), output: z.number().min(0) }),
);
export type PriceTable = Read<typeof priceTableSchema>;
export const pricesSchema = priceTableSchema.optional();

export const budgetSchema = z.object({
  requests: z.number().int().min(0).optional(),
  /** Prompt and completion together. */
  tokens: z.number().int().min(0).optional(),
});
export type BudgetLimits = Read<typeof budgetSchema>;
