/** The passages of a perfect retriever, as a baseline for answers. */

/**
 * Passages known to support the perspectives of a query: one for each perspective in turn, then a second one, until
 * there are k, so that as many perspectives as possible are covered (PIR, Table 5, "gold").
 *
 * @param supporting per perspective, the ids of passages that support it
 * @returns at most k distinct ids
 */
export function goldPassages(supporting: readonly (readonly string[])[], k: number): string[] {
  const gold = new Set<string>();
  const deepest = Math.max(0, ...supporting.map(({ length }) => length));
  for (let turn = 0; turn < deepest; turn++)
    for (const list of supporting) {
      const passage = list[turn];
      if (passage !== undefined && gold.size < k) gold.add(passage);
    }
  return [...gold];
}
