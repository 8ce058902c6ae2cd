/** The cost of requests to models, and limits on it. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../../core/errors.ts';
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

export const allowanceSchema = z.object({
  /** How many requests a call may send, and how many of them are left. */
  of: z.number().int().min(0),
  left: z.number().int().min(0),
});

/** The requests that a call may send to models and embedders, also through several requests to the engine. */
export class Allowance {
  readonly of: number;
  #left: number;

  constructor({ of, left }: Read<typeof allowanceSchema>) {
    this.of = of;
    this.#left = left;
  }

  get left(): number {
    return this.#left;
  }

  /** Counts a request before it is sent. @throws ParallaxError `model-unreachable` if none is left */
  take(): void {
    if (this.#left === 0)
      throw new ParallaxError(
        'model-unreachable',
        l10n.t`The ${this.of} requests that this call may send are spent, because some were repeated. Try again later.`,
      );
    this.#left--;
  }
}
