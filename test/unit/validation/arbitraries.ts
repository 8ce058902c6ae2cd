/** Random answers for property tests. */
import fc from 'fast-check';
import { ANSWERS, type ScoredPair } from '../../../src/features/validation/core/confusion.ts';

export const scoredPairs: fc.Arbitrary<ScoredPair[]> = fc.array(
  fc.record({ reference: fc.constantFrom('yes', 'no'), answer: fc.constantFrom(...ANSWERS) }),
  { maxLength: 60 },
);

/** Answers that are yes or no. */
export const verdicts = fc.constantFrom('yes' as const, 'no' as const);

/** `{ yes: 'y y n', no: 'n ?' }`: what was answered where the reference says yes, and where it says no. */
export function pairsOf(answers: { readonly yes: string; readonly no: string }): ScoredPair[] {
  return (['yes', 'no'] as const).flatMap((reference) =>
    [...answers[reference].replaceAll(' ', '')].map((letter) => ({ reference, answer: LETTERS[letter]! })),
  );
}

const LETTERS: Record<string, ScoredPair['answer']> = {
  y: 'yes',
  n: 'no',
  '?': 'unsure',
  x: 'unparsed',
  e: 'escalated',
};
