/** Small figures with known answers, for tests of the order of requests. */
import fc from 'fast-check';
import type { WantedFigures, WantedPair } from '../../../src/core/judging/open-figures.ts';
import type { TopicJudgements } from '../../../src/core/metrics/judgements.ts';

/** The perspectives that each passage supports. */
export type Matrix = Readonly<Record<string, readonly string[]>>;

export const lookup =
  (matrix: Matrix) =>
  ({ passageId, perspectiveId }: WantedPair): boolean =>
    matrix[passageId]?.includes(perspectiveId) ?? false;

/** All judgements in the form that the measures read. */
export function truthOf(matrix: Matrix, perspectives: readonly string[]): TopicJudgements {
  return new Map(
    perspectives.map((id) => [
      id,
      new Map(
        Object.entries(matrix).map(([passage, supported]) => [passage, supported.includes(id) ? 1 : 0]),
      ),
    ]),
  );
}

const passages = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const perspectives = ['p', 'q', 'r', 's'];

export const arbitraryMatrix: fc.Arbitrary<Matrix> = fc.record(
  Object.fromEntries(passages.map((passage) => [passage, fc.subarray(perspectives)])),
);

export const arbitraryFigures: fc.Arbitrary<WantedFigures> = fc.record({
  perspectives: fc.subarray(perspectives, { minLength: 1 }),
  rankings: fc.array(fc.shuffledSubarray(passages), { minLength: 1, maxLength: 3 }),
  cutoffs: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 }),
});
