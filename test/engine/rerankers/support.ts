/** The scores of a tiny cross-encoder, computed without the code under test. */
import type { Classes } from '../../fixtures/tiny-encoder/make.ts';
import { makeWeights, VOCABULARY } from '../../fixtures/tiny-encoder/make.ts';
import { classify, runReference, wordPieceIds } from '../../fixtures/tiny-encoder/reference.ts';

export const WEIGHTS = makeWeights();

/** Ids of a text without [CLS] and [SEP]. */
export const bareIds = (text: string): number[] => wordPieceIds(VOCABULARY, text).slice(1, -1);
export const [CLS, SEP] = ['[CLS]', '[SEP]'].map((token) => VOCABULARY.indexOf(token)) as [number, number];

export interface Pair {
  readonly ids: readonly number[];
  readonly types: readonly number[];
}

/** [CLS] query [SEP] passage [SEP], the second text and its [SEP] of type 1. */
export function bertPair(query: readonly number[], passage: readonly number[]): Pair {
  const first = [CLS, ...query, SEP];
  const second = [...passage, SEP];
  return { ids: [...first, ...second], types: [...first.map(() => 0), ...second.map(() => 1)] };
}

/** Logits of one pair alone: [classes] */
export function logitsOf({ ids, types }: Pair, classes: Classes, tokenTypes = true): number[] {
  return classify(WEIGHTS, runReference(WEIGHTS, ids, tokenTypes, types), classes);
}

/** ln(p / (1 − p)) under softmax, by definition. */
export function logOdds(logits: readonly number[], positive: number): number {
  const powers = logits.map(Math.exp);
  const total = powers.reduce((sum, power) => sum + power, 0);
  const p = powers[positive]! / total;
  return Math.log(p / (1 - p));
}
