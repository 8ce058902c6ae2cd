import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pm2 } from '../../../src/core/rerank/pm2.ts';
import { xquad } from '../../../src/core/rerank/xquad.ts';
import { lambdas, refuses } from './arbitraries.ts';

const items = (ranked: readonly { item: number }[]): number[] => ranked.map(({ item }) => item);

interface Scored {
  readonly n: number;
  readonly relevance: number[];
  readonly perspectiveScores: number[][];
  readonly weights: number[];
}

/** Scores in [0, 1] with maximum 1, so that normalising does not change them. */
const scored: fc.Arbitrary<Scored> = fc
  .tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 4 }))
  .chain(([n, m]) => {
    const list = fc
      .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: n, maxLength: n })
      .map((scores) => [1, ...scores.slice(1)]);
    const shuffled = list.chain((scores) => fc.shuffledSubarray(scores, { minLength: n }));
    return fc.record({
      n: fc.constant(n),
      relevance: list,
      perspectiveScores: fc.array(shuffled, { minLength: m, maxLength: m }),
      weights: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: m, maxLength: m }),
    });
  });

/** The formula of the paper, recomputed from all selected passages at every rank. */
function xquadByDefinition({ n, relevance, perspectiveScores, weights }: Scored, lambda: number): number[] {
  const total = weights.reduce((a, b) => a + b, 0);
  const taken: number[] = [];
  while (taken.length < n) {
    const score = (d: number): number =>
      (1 - lambda) * relevance[d]! +
      lambda *
        perspectiveScores.reduce((sum, own, i) => {
          const unsatisfied = taken.reduce((product, j) => product * (1 - own[j]!), weights[i]! / total);
          return sum + unsatisfied * own[d]!;
        }, 0);
    const rest = [...relevance.keys()].filter((d) => !taken.includes(d));
    taken.push(rest.reduce((best, d) => (score(d) > score(best) ? d : best)));
  }
  return taken;
}

test('xQuAD by hand: the other perspective follows a satisfied one', () => {
  const ranked = xquad({
    relevance: [10, 9, 8, 1],
    perspectiveScores: [
      [4, 4, 2, 0],
      [0, 0, 0, 3],
    ],
    lambda: 0.75,
  });
  assert.deepEqual(items(ranked), [0, 3, 1, 2]);
  assert.equal(ranked[0]!.score, 0.25 + 0.75 * 0.5);
  assert.equal(ranked[1]!.score, 0.25 * 0.1 + 0.75 * 0.5);
  assert.equal(ranked[2]!.score, 0.25 * 0.9);
});

test('xQuAD equals the definition', () => {
  fc.assert(
    fc.property(scored, lambdas, (input, lambda) => {
      assert.deepEqual(items(xquad({ ...input, lambda })), xquadByDefinition(input, lambda));
    }),
    { numRuns: 500 },
  );
});

test('xQuAD with sums: scores are shares of the sum over all candidates', () => {
  const [first] = xquad({
    relevance: [3, 1],
    perspectiveScores: [[1, 3]],
    lambda: 0.5,
    normalisation: 'sum',
  });
  assert.deepEqual(first, { item: 0, score: 0.5 * 0.75 + 0.5 * 0.25 });
});

test('xQuAD: lambda 0 keeps the order; a weight of 0 removes a perspective', () => {
  const input = {
    relevance: [3, 2, 1],
    perspectiveScores: [
      [0, 0, 1],
      [0, 1, 0],
    ],
  };
  assert.deepEqual(items(xquad({ ...input, lambda: 0 })), [0, 1, 2]);
  assert.deepEqual(items(xquad({ ...input, lambda: 1, weights: [0, 5], k: 2 })), [1, 0]);
  assert.deepEqual(items(xquad({ ...input, lambda: 1, weights: [5, 0], k: 2 })), [2, 0]);
});

test('xQuAD refuses an invalid score for the query', () =>
  refuses(
    () => xquad({ relevance: [1, NaN], perspectiveScores: [[1, 0]], lambda: 0.5 }),
    /score of candidate 2 for the query is NaN/,
  ));

test('PM-2 by hand: seats are distributed in proportion to the weights', () => {
  const perspectiveScores = [
    [1, 0.9, 0.8, 0.7, 0, 0],
    [0, 0, 0, 0, 1, 0.9],
  ];
  assert.deepEqual(items(pm2({ candidates: 6, perspectiveScores, lambda: 1 })), [0, 4, 1, 5, 2, 3]);
  // Quotients for weights 3:1: 0.75 | 0.25 against 0.25 | 0.25: a tie goes to the first, then the other.
  assert.deepEqual(
    items(pm2({ candidates: 6, perspectiveScores, weights: [3, 1], lambda: 1, k: 4 })),
    [0, 1, 4, 2],
  );
});

test('PM-2 by hand: a candidate for both sides takes half a seat from each', () => {
  const ranked = pm2({
    candidates: 3,
    perspectiveScores: [
      [1, 0.5, 0],
      [0.5, 0, 1],
    ],
    lambda: 0.5,
    k: 2,
  });
  // First: quotients ½, ½: ½·½·1 + ½·½·½. It takes ⅔ and ⅓ of the seat, so quotients are 3/14 and 3/10.
  assert.deepEqual(items(ranked), [0, 2]);
  assert.ok(Math.abs(ranked[0]!.score - 0.375) < 1e-12);
  assert.ok(Math.abs(ranked[1]!.score - 0.5 * 0.3) < 1e-12);
});

test('PM-2: with lambda 1 seats are proportional for passages of one side each', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), (a, b) => {
      const each = 10;
      const side = (own: number): number[] =>
        Array.from({ length: 2 * each }, (_, i) => (Math.floor(i / each) === own ? 1 : 0));
      const top = items(
        pm2({
          candidates: 2 * each,
          perspectiveScores: [side(0), side(1)],
          weights: [a, b],
          lambda: 1,
          k: a + b,
        }),
      );
      assert.equal(top.filter((item) => item < each).length, a);
    }),
  );
});

for (const [name, rerank] of [
  ['xQuAD', (input: Scored, lambda: number, k?: number) => xquad({ ...input, lambda, k })],
  ['PM-2', (input: Scored, lambda: number, k?: number) => pm2({ ...input, candidates: input.n, lambda, k })],
] as const) {
  test(`${name} returns every candidate once, and its first k on request`, () => {
    fc.assert(
      fc.property(scored, lambdas, fc.integer({ min: 1, max: 12 }), (input, lambda, k) => {
        const all = rerank(input, lambda);
        assert.deepEqual(
          items(all).sort((a, b) => a - b),
          Array.from({ length: input.n }, (_, i) => i),
        );
        assert.deepEqual(rerank(input, lambda, k), all.slice(0, k));
      }),
    );
  });

  test(`${name}: candidates without a perspective keep their order`, () => {
    const input = {
      n: 3,
      relevance: [0, 0, 0],
      perspectiveScores: [
        [0, 0, 0],
        [-1, 0, -2],
      ],
      weights: [1, 1],
    };
    const ranked = rerank(input, 0.5);
    assert.deepEqual(items(ranked), [0, 1, 2]);
    assert.ok(ranked.every(({ score }) => score === 0));
  });

  test(`${name}: returns no order for no candidates`, () => {
    assert.deepEqual(rerank({ n: 0, relevance: [], perspectiveScores: [[]], weights: [1] }, 0.5), []);
  });

  test(`${name} refuses invalid arguments`, () => {
    const input = { n: 2, relevance: [1, 0], perspectiveScores: [[1, 0]], weights: [1] };
    refuses(() => rerank({ ...input, perspectiveScores: [], weights: [] }, 0.5), /no perspectives/);
    refuses(
      () => rerank({ ...input, perspectiveScores: [[1]] }, 0.5),
      /Perspective 1 has 1 scores for 2 candidates/,
    );
    refuses(
      () => rerank({ ...input, perspectiveScores: [[1, NaN]] }, 0.5),
      /candidate 2 for perspective 1 is NaN/,
    );
    refuses(() => rerank({ ...input, weights: [1, 1] }, 0.5), /2 weights for 1 perspectives/);
    for (const weight of [-1, 0, NaN, Infinity])
      refuses(() => rerank({ ...input, weights: [weight] }, 0.5), /weights of perspectives/);
    refuses(
      () =>
        rerank(
          {
            ...input,
            perspectiveScores: [
              [1, 0],
              [0, 1],
            ],
            weights: [2, -1],
          },
          0.5,
        ),
      /weights of perspectives .* not \[2, -1\]/,
    );
    refuses(() => rerank(input, 2), /lambda .* not 2/);
    refuses(() => rerank(input, 0.5, 0), /k must be 1 or more, not 0/);
  });
}
