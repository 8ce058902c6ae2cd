import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mmr, MmrWhatIf } from '../../../src/core/rerank/mmr.ts';
import { CandidateVectors, similarityMatrix } from '../../../src/core/rerank/similarity.ts';
import { candidateLists, lambdas, refuses, type Candidates } from './arbitraries.ts';

/** The printed formula: every similarity at every rank. Cosines come from the module under test. */
function byDefinition({ n, relevance, vectors }: Candidates, lambda: number, maximum: number): number[][] {
  const cosines = new CandidateVectors(vectors, n);
  const taken = [0];
  const scores = [lambda * (relevance[0]! / maximum)];
  while (taken.length < n) {
    const rest = [...relevance.keys()].filter((i) => !taken.includes(i));
    const scored = rest.map((i) => {
      const nearest = Math.max(...taken.map((j) => cosines.similarity(i, j)));
      return [i, lambda * (relevance[i]! / maximum) - (1 - lambda) * nearest] as const;
    });
    const [item, score] = scored.reduce((best, one) => (one[1] > best[1] ? one : best));
    taken.push(item);
    scores.push(score);
  }
  return [taken, scores];
}

function divisor(relevance: readonly number[]): number {
  const greatest = Math.max(...relevance);
  const magnitude = Math.max(...relevance.map(Math.abs));
  return greatest > magnitude * 2 ** -52 ? greatest : magnitude || 1;
}

function unzip(ranked: readonly { item: number; score: number }[]): number[][] {
  return [ranked.map(({ item }) => item), ranked.map(({ score }) => score)];
}

test('by hand', () => {
  // The second candidate repeats the first; the third is orthogonal to both.
  const vectors = Float32Array.from([1, 0, 2, 0, 0, 3]);
  assert.deepEqual(mmr([4, 3, 2], vectors, { lambda: 0.5 }), [
    { item: 0, score: 0.5 },
    { item: 2, score: 0.25 },
    { item: 1, score: 0.5 * 0.75 - 0.5 },
  ]);
});

test('equals the definition', () => {
  fc.assert(
    fc.property(candidateLists, lambdas, (list, lambda) => {
      const expected = byDefinition(list, lambda, divisor(list.relevance));
      const [order, scores] = unzip(mmr(list.relevance, list.vectors, { lambda }));
      assert.deepEqual(order, expected[0]);
      scores!.forEach((score, i) => assert.ok(Math.abs(score - expected[1]![i]!) < 1e-12));
    }),
    { numRuns: 1000 },
  );
});

test('the first k are a prefix of the whole order', () => {
  fc.assert(
    fc.property(candidateLists, lambdas, fc.integer({ min: 1, max: 20 }), (list, lambda, k) => {
      const all = mmr(list.relevance, list.vectors, { lambda });
      assert.deepEqual(mmr(list.relevance, list.vectors, { lambda, k }), all.slice(0, k));
    }),
  );
});

test('what-if returns the same for every lambda and k, to the last bit', () => {
  fc.assert(
    fc.property(
      candidateLists,
      lambdas,
      fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      (list, lambda, k) => {
        const whatIf = new MmrWhatIf(list.relevance, similarityMatrix(list.vectors, list.n));
        whatIf.rerank(0.3);
        assert.deepEqual(whatIf.rerank(lambda, k), mmr(list.relevance, list.vectors, { lambda, k }));
      },
    ),
  );
});

test('lambda 1 keeps the order of relevance, with ties', () => {
  fc.assert(
    fc.property(candidateLists, ({ n, relevance, vectors }) => {
      const [order] = unzip(mmr(relevance, vectors, { lambda: 1 }));
      assert.deepEqual(
        order,
        Array.from({ length: n }, (_, i) => i),
      );
    }),
  );
});

test('the length of vectors does not matter', () => {
  const vectors = Float32Array.from([1, 2, 3, 1, -1, 0.5, 0, 1, 1]);
  const longer = vectors.map((value, i) => value * [1, 4, 0.25][Math.floor(i / 3)]!);
  const relevance = [3, 2, 1];
  assert.deepEqual(mmr(relevance, longer, { lambda: 0.5 }), mmr(relevance, vectors, { lambda: 0.5 }));
});

test('a zero vector is like nothing, not even another zero vector', () => {
  assert.deepEqual(mmr([1, 1, 1], new Float32Array(6), { lambda: 0.5 }), [
    { item: 0, score: 0.5 },
    { item: 1, score: 0.5 },
    { item: 2, score: 0.5 },
  ]);
});

test('divides by the maximum of the query or of the data set', () => {
  const vectors = Float32Array.from([1, 0, 1, 0, 0, 1]);
  const relevance = [2, 1.8, 0.2];
  const order = (datasetMaximum?: number) =>
    unzip(
      mmr(relevance, vectors, {
        lambda: 0.75,
        normalisation: datasetMaximum === undefined ? undefined : { datasetMaximum },
      }),
    )[0];
  // 0.75 × 0.9 − 0.25 beats 0.75 × 0.1; with 20 for the maximum the repeated passage loses.
  assert.deepEqual(order(), [0, 1, 2]);
  assert.deepEqual(order(2), [0, 1, 2]);
  assert.deepEqual(order(20), [0, 2, 1]);
});

test('scores that are never above 0 keep their order and a scale of 1', () => {
  const vectors = Float32Array.from([1, 0, 0, 1, 0, -1]);
  const [order, scores] = unzip(mmr([-1, -2, -4], vectors, { lambda: 1 }));
  assert.deepEqual(
    [order, scores],
    [
      [0, 1, 2],
      [-0.25, -0.5, -1],
    ],
  );
  assert.deepEqual(unzip(mmr([0, 0, 0], vectors, { lambda: 0.5 }))[0], [0, 1, 2]);
  assert.deepEqual(unzip(mmr([5e-324, 0, -1], vectors, { lambda: 1 }))[1], [5e-324, 0, -1]);
});

test('returns no order for no candidates', () => {
  assert.deepEqual(mmr([], new Float32Array(), { lambda: 0.5 }), []);
  assert.deepEqual(new MmrWhatIf([], new Float64Array()).rerank(0.5), []);
});

test('refuses invalid arguments by name', () => {
  const vectors = Float32Array.from([1, 0, 0, 1]);
  for (const lambda of [-0.1, 1.1, NaN])
    refuses(() => mmr([1, 1], vectors, { lambda }), /lambda .* not (-0.1|1.1|NaN)/);
  for (const k of [0, -1, NaN])
    refuses(() => mmr([1, 1], vectors, { lambda: 0.5, k }), /k must be 1 or more/);
  refuses(() => mmr([1, NaN], vectors, { lambda: 0.5 }), /score of candidate 2 for the query is NaN/);
  for (const bad of [NaN, Infinity])
    refuses(
      () => mmr([1, 1], Float32Array.from([1, 0, bad, 1]), { lambda: 0.5, k: 1 }),
      /vector of candidate 2 .* not a finite/,
    );
  refuses(() => mmr([1, 1, 1], vectors, { lambda: 0.5 }), /4 numbers cannot be 3 vectors of equal length/);
  refuses(() => mmr([1, 1], new Float32Array(), { lambda: 0.5 }), /0 numbers/);
  for (const datasetMaximum of [0, -1, NaN, Infinity])
    refuses(
      () => mmr([1, 1], vectors, { lambda: 0.5, normalisation: { datasetMaximum } }),
      /must be above 0/,
    );
  refuses(() => new MmrWhatIf([1, 1], new Float64Array(3)), /3 similarities .* 2 candidates/);
  refuses(() => new MmrWhatIf([1], new Float64Array(1)).rerank(2), /lambda .* not 2/);
});
