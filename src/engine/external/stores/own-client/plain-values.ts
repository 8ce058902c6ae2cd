/** Plain values of what a store's client hands out, which go from one process to another. */

import { ClientError } from './fault.ts';

/** About the most bytes of an answer: whoever takes it keeps all of it in memory. */
const MOST_BYTES = 128 * 2 ** 20;

/** Counts what an answer holds while it is put together. */
export class RowBudget {
  #bytes = 0;

  /** @throws ClientError `too-large` for more than an answer may hold */
  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MOST_BYTES) throw new ClientError('too-large', '');
  }
}

/** About what a value takes beside its letters or numbers. */
const VALUE_BYTES = 16;

/** The content of a value of a client's own classes, and any other value as it is. */
export type Unwrap = (value: object) => unknown;
export type PlainRow = Readonly<Record<string, unknown>>;

/** @returns typed arrays as they are, whole numbers that JavaScript cannot hold as their digits */
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
