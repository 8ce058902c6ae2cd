/** The values of a document field, such as a country or an outlet, in the top k. Needs no judgements. */

/** The value of each passage of a ranking. `undefined` for documents without the field. */
type Values = readonly (string | undefined)[];

export interface FieldReport {
  readonly field: string;
  /** Passages in the top k of all questions. */
  readonly passages: number;
  /** How many of them have each value, most frequent first (PIR, Figure 5). */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * By the group of the perspective that was searched with, the share of each value in the top k (PIR, Figure 6). If
   * groups are values of the field, a group's share of itself is that of the desired documents (Figure 3).
   */
  readonly asked: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * @param questions the top k of each question
 * @param searches the top k of each search with a perspective
 */
export function fieldReport(
  field: string,
  questions: readonly Values[],
  searches: readonly { readonly group: string; readonly values: Values }[],
): FieldReport {
  const all = questions.flat();
  const asked = [...Map.groupBy(searches, ({ group }) => group)].map(([group, own]) => {
    const values = own.flatMap((search) => search.values);
    const shares = countsOf(values).map(([value, count]) => [value, count / values.length] as const);
    return [group, Object.fromEntries(shares)] as const;
  });
  return {
    field,
    passages: all.length,
    counts: Object.fromEntries(countsOf(all)),
    asked: Object.fromEntries(asked),
  };
}

function countsOf(values: Values): (readonly [value: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
