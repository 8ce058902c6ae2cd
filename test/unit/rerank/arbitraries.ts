import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';

export interface Candidates {
  readonly n: number;
  readonly d: number;
  readonly relevance: number[];
  readonly vectors: Float32Array;
}

const coordinate = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.double({ min: -1, max: 1, noNaN: true }).map(Math.fround),
);

/** Few values, so that ties, equal vectors and zero vectors are common. */
export const candidateLists: fc.Arbitrary<Candidates> = fc
  .tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 9 }))
  .chain(([n, d]) =>
    fc.record({
      n: fc.constant(n),
      d: fc.constant(d),
      relevance: fc
        .array(fc.oneof(fc.integer({ min: -3, max: 6 }), fc.double({ min: -2, max: 9, noNaN: true })), {
          minLength: n,
          maxLength: n,
        })
        .map((scores) => scores.sort((a, b) => b - a)),
      vectors: fc
        .array(coordinate, { minLength: n * d, maxLength: n * d })
        .map((all) => Float32Array.from(all)),
    }),
  );

/** In steps that are exact in binary, so that equal scores are equal however they are computed. */
export const lambdas = fc.constantFrom(0, 0.25, 0.5, 0.75, 0.95, 1);

export function refuses(work: () => unknown, message: RegExp): void {
  assert.throws(work, (error) => {
    assert.ok(ParallaxError.is(error, 'bad-argument'), String(error));
    assert.match(error.message, message);
    return true;
  });
}
