/** The cost of requests to models, and limits on it. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

/** The least and the most possible. */
const rangeSchema = z.object({ least: z.number(), most: z.number() });
export type Range = Read<typeof rangeSchema>;

export const effortSchema = z.object({
  requests: rangeSchema,
  /** Estimated from text lengths. */
  promptTokens: rangeSchema,
  completionTokens: rangeSchema,
  /** `undefined` if the price of a model that may be asked is unknown. */
  price: rangeSchema.optional(),
  /**
   * Whether up to as many further requests may follow about quotes that are not in the passage. Not included in the
   * other figures.
   */
  mayAskAgain: z.boolean().optional(),
});
export type Effort = Read<typeof effortSchema>;

/** Per million tokens, in the table's currency, by the model's name in `parallax.json`. */
const priceTableSchema = z.record(
  z.string(),
  z.object({ input: z.number().min(0), output: z.number().min(0) }),
);
export type PriceTable = Read<typeof priceTableSchema>;
export const pricesSchema = priceTableSchema.optional();

export const budgetSchema = z.object({
  requests: z.number().int().min(0).optional(),
  /** Prompt and completion tokens together. */
  tokens: z.number().int().min(0).optional(),
});
export type BudgetLimits = Read<typeof budgetSchema>;
