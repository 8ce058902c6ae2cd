/** Rows of Arrow as plain values, which go from one process to another. */

/** What an answer may hold, about: whoever takes it keeps all of it in memory. */
const MOST_BYTES = 128 * 2 ** 20;

/** Counts what an answer holds while it is put together. */
export class RowBudget {
  #bytes = 0;
  readonly #tooLarge: () => Error;

  /** @param tooLarge what is thrown for more than an answer may hold */
  constructor(tooLarge: () => Error) {
    this.#tooLarge = tooLarge;
  }

  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MOST_BYTES) throw this.#tooLarge();
  }
}

/** About what a value takes beside its letters or numbers. */
const VALUE_BYTES = 16;

interface Row {
  toJSON(): Readonly<Record<string, unknown>>;
}

/** @returns lists of numbers as typed arrays, whole numbers that JavaScript cannot hold as their digits */
export function plainRow(row: Row, budget: RowBudget): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row.toJSON()).map(([name, value]) => [name, plain(value, budget)]),
  );
}

function plain(value: unknown, budget: RowBudget): unknown {
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
  // Of Arrow: lists, and structures, which say themselves what they are as JSON.
  if ('toArray' in value && typeof value.toArray === 'function')
    return plainList((value.toArray as () => unknown)(), budget);
  if (Array.isArray(value)) return plainList(value, budget);
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainRow(value as Row, budget);
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, plain(held, budget)]));
}

function plainList(list: unknown, budget: RowBudget): unknown {
  if (!Array.isArray(list)) return plain(list, budget);
  return list.map((entry) => plain(entry, budget));
}
