/** Sorts a table by one of its columns. Pure. */

export type Direction = 'ascending' | 'descending';

export interface Sort {
  /** Key of the column. */
  readonly column: string;
  readonly direction: Direction;
}

/**
 * The next sorting after a click on a column header: first the column's own direction, then the opposite, then none.
 */
export function nextSort(sort: Sort | undefined, column: string, first: Direction): Sort | undefined {
  if (sort?.column !== column) return { column, direction: first };
  const opposite = first === 'ascending' ? 'descending' : 'ascending';
  return sort.direction === first ? { column, direction: opposite } : undefined;
}

/** Stable; rows without a value come last in both directions. */
export function sorted<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => number | string | undefined,
  direction: Direction,
): Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return rows.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return sign * compare(a, b);
  });
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}
