/** Converts a client's values to plain ones, which can be sent between processes. */

import { ClientError } from './fault.ts';

/** The approximate limit of an answer in bytes, all of which are in the receiver's memory. */
const MAX_BYTES = 128 * 2 ** 20;

/** Counts the size of an answer while it is assembled. */
export class RowBudget {
  #bytes = 0;

  /** @throws ClientError `too-large` for more than the limit of an answer */
  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_BYTES) throw new ClientError('too-large', '');
  }
}

/** The approximate size of a value beside its letters or numbers. */
const VALUE_BYTES = 16;

/** Unwraps a value of a client's own classes, and returns any other value unchanged. */
export type Unwrap = (value: object) => unknown;
export type PlainRow = Readonly<Record<string, unknown>>;

/** @returns typed arrays unchanged, integers beyond JavaScript's precision as their digits */
export function plainRow(row: object, budget: RowBudget, unwrap: Unwrap): PlainRow {
  return plain(row, budget, unwrap) as PlainRow;
}

function plain(value: unknown, budget: RowBudget, unwrap: Unwrap): unknown {
  budget.spend(VALUE_BYTES);
  if (typeof value === 'string') {
    budget.spend(2 * value.length);
    return value;
  }
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) {
    budget.spend(value.byteLength);
    return value;
  }
  const within = unwrap(value);
  if (within !== value) return plain(within, budget, unwrap);
  if (Array.isArray(value)) return value.map((each) => plain(each, budget, unwrap));
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, plain(held, budget, unwrap)]));
}
