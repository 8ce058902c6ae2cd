/** How sure a model is of "yes": read off the probabilities of the token it answers with. */
import type { DecidedVerdict } from '../../model.ts';
import { withoutTrailing } from '../../text/trim.ts';
import { unparsable, type Unparsable } from './parse.ts';

interface TokenProbability {
  readonly token: string;
  /** Natural logarithm of the probability. */
  readonly logprob: number;
}

/** A token of an answer, and what could have stood in its place. */
export interface AnsweredToken extends TokenProbability {
  /** The most probable ones; the token itself may be among them. */
  readonly alternatives: readonly TokenProbability[];
}

/**
 * Characters that tokenizers and models put around a word: blanks, also as tokenizers spell them, quotes and
 * emphasis.
 */
const BEFORE = /^[\s▁Ġ"'`*_]+/;
const AFTER = /[\s▁Ġ"'`*_.,:;!]/;

/**
 * P(yes) / (P(yes) + P(no)) at the first token that is a word. Spellings of the same word ("Yes", " yes",
 * "YES") add up.
 *
 * @param tokens the beginning of an answer that is to be "yes" or "no"
 * @returns in [0, 1], or why there is no such figure
 */
export function probabilityOfYes(tokens: readonly AnsweredToken[]): number | Unparsable {
  const first = tokens.find(({ token }) => wordOf(token) !== '');
  if (!first) return unparsable('The model gave an empty answer.');
  const choices = first.alternatives.some(({ token }) => token === first.token)
    ? first.alternatives
    : [first, ...first.alternatives];
  const [yes, no] = [massOf(choices, 'yes'), massOf(choices, 'no')];
  if (!(yes + no > 0))
    return unparsable(`The model began its answer with "${first.token.trim()}" instead of "yes" or "no".`);
  return yes / (yes + no);
}

function massOf(choices: readonly TokenProbability[], word: DecidedVerdict): number {
  return choices.reduce(
    (sum, { token, logprob }) => (wordOf(token) === word ? sum + Math.exp(logprob) : sum),
    0,
  );
}

function wordOf(token: string): string {
  return withoutTrailing(token.replace(BEFORE, ''), AFTER).toLowerCase();
}
