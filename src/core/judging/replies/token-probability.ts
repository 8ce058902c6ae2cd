/** A model's confidence in "yes", from the probabilities of its answer's token. */
import type { DecidedVerdict } from '../../model.ts';
import { withoutTrailing } from '../../text/trim.ts';
import { unparsable, type Unparsable } from './parse.ts';

interface TokenProbability {
  readonly token: string;
  /** Natural logarithm of the probability. */
  readonly logprob: number;
}

/** A token of an answer with its alternatives. */
export interface AnsweredToken extends TokenProbability {
  /** The most probable tokens, possibly including the chosen one. */
  readonly alternatives: readonly TokenProbability[];
}

/** Characters around a word from tokenizers and models: blanks (including tokenizer spellings), quotes and emphasis. */
const BEFORE = /^[\s▁Ġ"'`*_]+/;
const AFTER = /[\s▁Ġ"'`*_.,:;!]/;

/**
 * P(yes) / (P(yes) + P(no)) at the first token that is a word. Adds up spellings of the same word ("Yes", " yes",
 * "YES").
 *
 * @param tokens the beginning of an answer that should be "yes" or "no"
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
