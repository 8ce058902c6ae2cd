/** Query expansion with perspectives: one search per generated perspective, and one list out of theirs. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

/** `question-perspective`: the question, a space, the perspective (the code of BERDS). `perspective`: that alone. */
export const EXPANSION_FORMS = ['question-perspective', 'perspective'] as const;
export type ExpansionForm = (typeof EXPANSION_FORMS)[number];

/**
 * The texts to search for, one per perspective in the given order; none for the bare question.
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

/** An item of the merged list, and where it first came from. */
export interface Merged<T> {
  readonly item: T;
  /** Position of its list, from 0. */
  readonly list: number;
  /** Its rank in that list, from 1. */
  readonly rank: number;
}

/**
 * Takes rank 1 of every list in turn, then rank 2, and so on for k rounds; of an item that comes more than
 * once only the first stays, and the first k of what remains are returned. A list whose turn brings a
 * repeated item does not get another turn in that round.
 *
 * Source: BERDS, section 6 (query expansion).
 *
 * @param lists one per perspective in the order of generation, best first; they may differ in length
 * @param k rounds, and how many items to return at most
 * @throws ParallaxError `bad-argument` when k is not a whole number from 1
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
