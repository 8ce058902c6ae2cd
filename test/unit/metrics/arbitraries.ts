/** Random topics for property tests: few passages and perspectives, so that coincidences are common. */
import fc from 'fast-check';
import type { TopicJudgements } from '../../../src/core/metrics/judgements.ts';

const PASSAGES = Array.from({ length: 14 }, (_, index) => `d${index}`);

/** Distinct passages, best first. */
export const rankings = fc.shuffledSubarray(PASSAGES);

/** One to four perspectives with graded judgements, some of them empty or without any support. */
export const topics: fc.Arbitrary<TopicJudgements> = fc
  .array(fc.dictionary(fc.constantFrom(...PASSAGES), fc.integer({ min: 0, max: 3 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map(
    (perspectives) =>
      new Map(perspectives.map((judged, index) => [`p${index}`, new Map(Object.entries(judged))])),
  );

export const cutoffs = fc.integer({ min: 1, max: 16 });

/** `{ p: 'a b' }`: passages a and b support p. `{ p: 'a -b' }`: b was judged not to. */
export function judgementsOf(perspectives: Record<string, string>): TopicJudgements {
  return new Map(
    Object.entries(perspectives).map(([perspective, passages]) => [
      perspective,
      new Map(
        passages
          .split(' ')
          .filter((passage) => passage !== '')
          .map((passage) => (passage.startsWith('-') ? [passage.slice(1), 0] : [passage, 1])),
      ),
    ]),
  );
}
