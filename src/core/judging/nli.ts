/**
 * Natural language inference as judging: does a premise (the passage) entail a hypothesis (the perspective)?
 * (BERDS section 5, "off-the-shelf NLI models".)
 */

/** Part of every judgement and of the cache's key: raise it when the rules below change. */
export const NLI_VERSION = 'nli-1';

/** Sentences `[first, end)`, counted from 0. */
export interface SentenceRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Runs of consecutive sentences that fit into a model together, each as long as possible. Neighbours share a
 * sentence where there is room, so that what two sentences say together is not cut apart. A sentence that
 * alone does not fit is a run of its own.
 *
 * @param tokens of each sentence, at least one
 * @param room tokens that a run may have
 */
export function windowsWithin(tokens: readonly number[], room: number): SentenceRange[] {
  const windows: SentenceRange[] = [];
  let first = 0;
  for (;;) {
    const end = endOfWindow(tokens, first, room);
    windows.push({ first, end });
    if (end >= tokens.length) return windows;
    // Behind a sentence that is a run of its own there is no room: the next one would be in it.
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

/** Names of the class that means entailment, not those of its negation ("not_entailment"). */
const ENTAILMENT = /entail/i;
const NEGATED = /(?:^|[^a-z])(?:not?|non)[^a-z]*entail/i;

/** Whether a class of this name means that the premise entails the hypothesis. */
export function meansEntailment(name: string): boolean {
  return ENTAILMENT.test(name) && !NEGATED.test(name);
}
