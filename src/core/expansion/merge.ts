/** Query expansion with perspectives: one search per generated perspective, merged into one list. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

/**
 * `question-perspective`: the question, a space, the perspective (the code of BERDS). `perspective`: only the
 * perspective.
 */
export const EXPANSION_FORMS = ['question-perspective', 'perspective'] as const;
export type ExpansionForm = (typeof EXPANSION_FORMS)[number];

/**
 * The texts to search for, one per perspective in the given order. The question alone is not among them.
 *
 * Source: BERDS, section 6.
 */
export function expandedQueries(
  question: string,
  perspectives: readonly string[],
  form: ExpansionForm = 'question-perspective',
): string[] {
  return perspectives.map((perspective) =>
    form === 'perspective' ? perspective.trim() : `${question.trim()} ${perspective.trim()}`,
  );
}

/** An item of the merged list and where it first occurs. */
export interface Merged<T> {
  readonly item: T;
  /** Index of its list, from 0. */
  readonly list: number;
  /** Its rank in that list, from 1. */
  readonly rank: number;
}

/**
 * Takes rank 1 of every list in order, then rank 2, and so on for k rounds. Only the first occurrence of an item is
 * kept, and the first k remaining items are returned. A list with a repeated item does not get another turn in that
 * round.
 *
 * Source: BERDS, section 6 (query expansion).
 *
 * @param lists one per perspective in the order of generation, best first; lengths may differ
 * @param k the number of rounds, and the most items to return
 * @throws ParallaxError `bad-argument` if k is not a whole number from 1
 */
export function mergeInTurns<T>(lists: readonly (readonly T[])[], k: number): Merged<T>[] {
  if (!Number.isInteger(k) || k < 1)
    throw new ParallaxError('bad-argument', l10n.t`k must be a whole number from 1, not ${k}.`);
  const merged = new Map<T, Merged<T>>();
  const rounds = Math.min(k, Math.max(0, ...lists.map((list) => list.length)));
  for (let rank = 1; rank <= rounds; rank++)
    lists.forEach((list, index) => {
      if (rank > list.length) return;
      const item = list[rank - 1]!;
      if (!merged.has(item)) merged.set(item, { item, list: index, rank });
    });
  return [...merged.values()].slice(0, k);
}
