import type { Effort, PriceTable } from '../../shared/requests/spending.ts';

/** The cost settings; see the settings of the same names in src/shared/manifest/settings.ts. */
export interface CostSettings {
  readonly confirmCallsAbove: number;
  /** 0 for no limit. */
  readonly requestBudget: number;
  readonly prices: PriceTable;
}

/** Asks whether this many pairs may be judged at that cost. Resolves to true if the user agrees. */
export type ConfirmCalls = (pairs: number, effort: Effort, judge: string) => Promise<boolean>;

/** The setting as a parameter of requests. @param requestBudget 0 for no limit */
export function budgetOf({ requestBudget }: Pick<CostSettings, 'requestBudget'>): {
  readonly budget?: { readonly requests: number };
} {
  return requestBudget > 0 ? { budget: { requests: requestBudget } } : {};
}
