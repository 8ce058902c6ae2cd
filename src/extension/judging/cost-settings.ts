import type { Effort, PriceTable } from '../../shared/requests/spending.ts';

/** The settings about cost; see those of the same names in src/shared/manifest/settings.ts. */
export interface CostSettings {
  readonly confirmCallsAbove: number;
  /** 0 for none. */
  readonly requestBudget: number;
  readonly prices: PriceTable;
}

/** Asks whether so many pairs may be judged at that cost; true to go ahead. */
export type ConfirmCalls = (pairs: number, effort: Effort, judge: string) => Promise<boolean>;
