import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { mergeInTurns } from '../../../src/core/expansion/merge.ts';
import { planProjection, PROJECTION_METHODS, scoreRows } from '../../../src/core/projection/project.ts';
import { ProjectionWhatIf, reduceProjection } from '../../../src/core/projection/what-if.ts';

const vectors = (d: number, count: number): fc.Arbitrary<Float32Array> =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: d * count, maxLength: d * count })
    .map((values) => Float32Array.from(values));
const isLong = (vector: Float32Array): boolean => Math.hypot(...vector) > 0.1;

const cases = fc.integer({ min: 2, max: 24 }).chain((d) =>
  fc.record({
    query: vectors(d, 1).filter(isLong),
    root: vectors(d, 1).filter(isLong),
    perspective: vectors(d, 1).filter(isLong),
    passages: fc.integer({ min: 0, max: 6 }).chain((n) => vectors(d, n)),
  }),
);

test('four dimensions give the full scores for every method and weight', () => {
  fc.assert(
    fc.property(
      cases,
      fc.constantFrom(...PROJECTION_METHODS),
      fc.double({ min: 0, max: 2, noNaN: true }),
      ({ passages, ...input }, method, weight) => {
        const { passages: reducedRows, ...reduced } = reduceProjection(input, passages);
        let expected: Float64Array;
        try {
          expected = scoreRows(planProjection(method, { ...input, weight }), passages);
        } catch (error) {
          assert.ok(ParallaxError.is(error, 'bad-argument'));
          return;
        }
        const scores = scoreRows(planProjection(method, { ...reduced, weight }), reducedRows);
        expected.forEach((score, i) =>
          assert.ok(Math.abs(score - scores[i]!) < 1e-6, `${score} ${scores[i]}`),
        );
      },
    ),
  );
});

test('reduces dependent vectors: a root equal to the query, a perspective that is a difference', () => {
  const query = Float32Array.of(3, 4, 0, 0, 0);
  const root = Float32Array.of(3, 0, 0, 0, 0);
  const perspective = Float32Array.of(0, 4, 0, 0, 0);
  const passages = Float32Array.of(1, 1, 1, 1, 1, 3, 4, 0, 0, 0);
  for (const [r, p] of [
    [query, perspective],
    [root, perspective],
    [query, query],
  ] as const) {
    const reduced = reduceProjection({ query, root: r, perspective: p }, passages);
    const at = (x: ArrayLike<number>, y: ArrayLike<number>): number =>
      Array.from(x).reduce((sum, value, i) => sum + value * y[i]!, 0);
    assert.ok(Math.abs(at(reduced.query, reduced.perspective) - at(query, p)) < 1e-12);
    assert.ok(Math.abs(at(reduced.root, reduced.query) - at(r, query)) < 1e-12);
    assert.ok(Math.abs(at(reduced.passages.subarray(0, 4), reduced.passages.subarray(0, 4)) - 5) < 1e-12);
    assert.ok(Math.abs(at(reduced.passages.subarray(0, 4), reduced.query) - 7) < 1e-12);
    assert.ok(Math.abs(at(reduced.passages.subarray(4, 8), reduced.query) - 25) < 1e-12);
  }
});

/** Two perspectives, and passages at angles between them and the question. */
const AXES = { q: [1, 1, 1], a: [0, 1, 0], b: [0, 0, 1] } as const;
const PASSAGES = Float32Array.of(1, 0, 0, 1, 3, 0, 1, 0, 3, 0.4, 1, 1);
const reducedFor = (perspective: readonly number[]): ReturnType<typeof reduceProjection> =>
  reduceProjection({ query: AXES.q, root: [1, 0, 0], perspective }, PASSAGES);

test('several perspectives take turns; scores are those of the merged list', () => {
  const whatIf = new ProjectionWhatIf('pap', [reducedFor(AXES.a), reducedFor(AXES.b)], [10, 11, 12, 13]);
  const order = whatIf.rerank(1);
  // Without its second coordinate the question is (1, 0, 1): passage 2 points there best, then 0, 3, 1.
  const lists = [
    [2, 0, 3, 1],
    [1, 0, 3, 2],
  ];
  const listOf = (perspective: readonly number[]): number[] =>
    new ProjectionWhatIf('pap', [reducedFor(perspective)], [10, 11, 12, 13])
      .rerank(1)
      .map(({ item }) => item);
  assert.deepEqual([listOf(AXES.a), listOf(AXES.b)], lists);
  assert.deepEqual(
    order,
    mergeInTurns(lists, 4).map(({ item }, i) => ({ item, score: 1 / (i + 1) })),
  );
});

test('one perspective keeps the scores of the method; weight 0 is the cosine', () => {
  const [first] = new ProjectionWhatIf('pap', [reducedFor(AXES.a)], [0, 1, 2, 3]).rerank(0);
  assert.equal(first?.item, 3);
  assert.ok(Math.abs((first?.score ?? 0) - 2.4 / Math.sqrt(3 * 2.16)) < 1e-6);
});

test('PAP+ is symmetric around weight 1, and 2 equals no projection', () => {
  const whatIf = new ProjectionWhatIf('pap+', [reducedFor(AXES.a)], [0, 1, 2, 3]);
  for (const w of [0, 0.3, 0.8])
    whatIf.rerank(w).forEach(({ item, score }, i) => {
      const mirrored = whatIf.rerank(2 - w)[i]!;
      assert.equal(mirrored.item, item);
      assert.ok(Math.abs(mirrored.score - score) < 1e-9);
    });
});

test('equal scores go to the smaller slot, as in a search', () => {
  const twice = Float32Array.of(1, 0, 0, 1, 0, 0);
  const reduced = reduceProjection({ query: AXES.q, root: AXES.q, perspective: AXES.a }, twice);
  assert.deepEqual(
    new ProjectionWhatIf('pap', [reduced], [8, 5]).rerank(1).map(({ item }) => item),
    [1, 0],
  );
});

test('no candidates, no perspective, other candidates, and a question that vanishes', () => {
  const nothing = reduceProjection({ query: [1, 1], root: [1, 0], perspective: [0, 1] }, new Float32Array());
  assert.deepEqual(new ProjectionWhatIf('pap', [nothing, nothing], []).rerank(1), []);
  assert.throws(() => new ProjectionWhatIf('pap', [], []), /no perspective/u);
  assert.throws(
    () => new ProjectionWhatIf('pap', [nothing], [1, 2]),
    /0 projected passages .* 2 candidates/u,
  );
  const parallel = reduceProjection(
    { query: [0, 2], root: [0, 1], perspective: [0, 1] },
    Float32Array.of(1, 1),
  );
  assert.throws(() => new ProjectionWhatIf('pap', [parallel], [0]).rerank(1), /The projection is empty/u);
  assert.throws(
    () => reduceProjection({ query: [1, 1], root: [1, 0], perspective: [0, 1] }, Float32Array.of(1)),
    /1 numbers are not vectors of 2 dimensions/u,
  );
});
