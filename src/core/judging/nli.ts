/**
 * Judging by natural language inference: does a premise (the passage) entail a hypothesis (the perspective)? (BERDS
 * section 5, "off-the-shelf NLI models".)
 */

/** Part of every judgement and of the cache key. Increment if the rules below change. */
export const NLI_VERSION = 'nli-1';

/** Sentences `[first, end)`, counted from 0. */
export interface SentenceRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Runs of consecutive sentences that fit into a model together, each as long as possible. Neighbouring runs share a
 * sentence if there is room, so that pairs of sentences are not separated. A sentence that does not fit is a run by
 * itself.
 *
 * @param tokens of each sentence, at least one
 * @param room the most tokens of a run
 */
export function windowsWithin(tokens: readonly number[], room: number): SentenceRange[] {
  const windows: SentenceRange[] = [];
  let first = 0;
  for (;;) {
    const end = endOfWindow(tokens, first, room);
    windows.push({ first, end });
    if (end >= tokens.length) return windows;
    // An overlong sentence leaves no room for an overlap, as the next run would be contained in it.
    const overlaps = tokens[end - 1]! + tokens[end]! <= room;
    first = overlaps ? end - 1 : end;
  }
}

function endOfWindow(tokens: readonly number[], first: number, room: number): number {
  let total = tokens[first]!;
  let end = first + 1;
  while (end < tokens.length && total + tokens[end]! <= room) total += tokens[end++]!;
  return end;
}

/** The probability of one class under softmax. @param logits `[classes]` */
export function softmaxAt(logits: ArrayLike<number>, place: number): number {
  const values = Array.from(logits);
  const max = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - max));
  return powers[place]! / powers.reduce((sum, power) => sum + power, 0);
}

/** Matches names of the entailment class, except negated ones ("not_entailment"). */
const ENTAILMENT = /entail/i;
const NEGATED = /(?:^|[^a-z])(?:not?|non)[^a-z]*entail/i;

/** Whether a class name means that the premise entails the hypothesis. */
export function meansEntailment(name: string): boolean {
  return ENTAILMENT.test(name) && !NEGATED.test(name);
}
