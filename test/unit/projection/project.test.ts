import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  differencePerspective,
  planProjection,
  PROJECTION_METHODS,
  projected,
  scoreFromProducts,
  scoreRows,
  type ProjectionMethod,
} from '../../../src/core/projection/project.ts';

type Vector = readonly number[];
interface Case {
  readonly q: Vector;
  readonly r: Vector;
  readonly p: Vector;
  readonly passages: readonly Vector[];
}

const dot = (a: Vector, b: Vector): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const size = (a: Vector): number => Math.sqrt(dot(a, a));
const cos = (a: Vector, b: Vector): number => dot(a, b) / (size(a) * size(b));
const plus = (a: Vector, w: number, b: Vector): Vector => a.map((value, i) => value + w * b[i]!);
const without = (x: Vector, w: number, p: Vector): Vector => plus(x, (-w * dot(x, p)) / dot(p, p), p);
const join = (a: Vector, w: number, p: Vector): Vector => [...a, ...p.map((value) => w * value)];

/** Each formula of the paper on explicit vectors, passage by passage. */
const MATERIALISED: Record<ProjectionMethod, (c: Vector, vectors: Case, w: number) => number> = {
  pap: (c, { q, p }, w) => cos(without(q, w, p), c),
  'pap+': (c, { q, p }, w) => cos(without(q, w, p), without(c, w, p)),
  add: (c, { r, p }, w) => cos(plus(r, w, p), c),
  'add+': (c, { r, p }, w) => cos(plus(r, w, p), plus(c, w, p)),
  concat: (c, { r, p }, w) => cos(join(r, w, p), join(c, w, p)),
  'concat+': (c, { q, p }, w) => cos(join(q, w, p), join(c, w, p)),
  cast: (c, { q, p }, w) => cos(plus(q, -w, p), c),
  'cast+': (c, { q, p }, w) => cos(plus(q, -w, p), plus(c, -w, p)),
  'dual-sum': (c, { r, p }, w) => cos(r, c) + w * cos(p, c),
  'tri-sum': (c, { q, r, p }, w) => cos(r, c) + w * cos(p, c) + cos(q, c),
  'add-query': (c, { q, p }, w) => cos(plus(q, w, p), c),
};
const PLAIN: Record<ProjectionMethod, (c: Vector, vectors: Case) => number> = {
  ...Object.fromEntries(PROJECTION_METHODS.map((method) => [method, (c: Vector, { q }: Case) => cos(q, c)])),
  add: (c, { r }) => cos(r, c),
  'add+': (c, { r }) => cos(r, c),
  concat: (c, { r }) => cos(r, c),
  'dual-sum': (c, { r }) => cos(r, c),
  'tri-sum': (c, { q, r }) => cos(r, c) + cos(q, c),
} as Record<ProjectionMethod, (c: Vector, vectors: Case) => number>;

const single = (values: Vector): Vector => [...Float32Array.from(values)];
const cases: fc.Arbitrary<Case> = fc.integer({ min: 2, max: 40 }).chain((d) => {
  const vector = fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: d, maxLength: d })
    .map(single)
    .filter((values) => size(values) > 0.1);
  return fc.record({ q: vector, r: vector, p: vector, passages: fc.array(vector, { maxLength: 8 }) });
});
const scoresOf = (method: ProjectionMethod, { q, r, p, passages }: Case, weight: number): number[] => [
  ...scoreRows(
    planProjection(method, { query: q, root: r, perspective: p, weight }),
    Float32Array.from(passages.flat()),
  ),
];

/** Whether the vectors that the formula compares are long enough to have a direction. */
function wellPosed({ q, r, p, passages }: Case, w: number): boolean {
  const long = (x: Vector, of: Vector): boolean => size(x) > 0.01 * (size(of) + Math.abs(w) * size(p));
  const compared = passages.flatMap((c): [Vector, Vector][] => [
    [without(c, w, p), c],
    [plus(c, w, p), c],
    [plus(c, -w, p), c],
  ]);
  return [
    ...compared,
    ...[q, r].flatMap((x): [Vector, Vector][] => [
      [without(x, w, p), x],
      [plus(x, w, p), x],
      [plus(x, -w, p), x],
    ]),
  ].every(([x, of]) => long(x, of));
}

for (const method of PROJECTION_METHODS)
  test(`${method} equals the formula on materialised vectors`, () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(0, 0.5, 1, 2), (vectors, w) => {
        fc.pre(wellPosed(vectors, w));
        const scores = scoresOf(method, vectors, w);
        vectors.passages.forEach((c, i) => {
          const expected = MATERIALISED[method](c, vectors, w);
          assert.ok(Math.abs(scores[i]! - expected) < 1e-6, `${scores[i]} for ${expected}`);
        });
      }),
      { numRuns: 300 },
    );
  });

test('weight 0 is a plain search', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom(...PROJECTION_METHODS), (vectors, method) => {
      const scores = scoresOf(method, vectors, 0);
      vectors.passages.forEach((c, i) =>
        assert.ok(Math.abs(scores[i]! - PLAIN[method](c, vectors)) < 1e-6, method),
      );
    }),
  );
});

test('weight 1, the default, removes the perspective from the query', () => {
  const p = [3, 4, 0];
  const direction = planProjection('pap', { query: [1, 2, 3], perspective: p }).direction;
  assert.ok(Math.abs(dot([...direction], p)) < 1e-12);
  assert.deepEqual([...projected([1, 0, 5], [2, 0, 0], 1)], [0, 0, 5]);
  assert.deepEqual([...projected([1, 0, 5], [2, 0, 0], 2)], [-1, 0, 5]);
});

test('PAP is a plain search with another query; PAP+ is not', () => {
  const input = { query: [1, 2, 3], perspective: [1, 0, 0] };
  assert.equal(planProjection('pap', input).norm, undefined);
  assert.notEqual(planProjection('pap+', input).norm, undefined);
});

test('PAP+ does not depend on the length of the perspective or a passage', () => {
  const query = [0.4, -0.2, 0.7];
  const rows = Float32Array.from([0.25, 0.5, 0.125]);
  const scores = [1, 1000].map(
    (factor) =>
      scoreRows(
        planProjection('pap+', { query, perspective: [factor, 2 * factor, -factor] }),
        rows.map((value) => value * factor),
      )[0]!,
  );
  assert.ok(Math.abs(scores[0]! - scores[1]!) < 1e-9, String(scores));
});

test('PAP+: the perspective and its opposite score about 0 at full weight', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom(1, -1, 3), ({ q, p, r }, factor) => {
      fc.pre(wellPosed({ q, r, p, passages: [] }, 1));
      const passage = p.map((value) => factor * value);
      const [score] = scoresOf('pap+', { q, r, p, passages: [passage] }, 1);
      assert.ok(Math.abs(score!) < 1e-3, String(score));
    }),
  );
});

test('PAP+: the score falls to 0 towards the perspective and stays in [−1, 1]', () => {
  const plan = planProjection('pap+', { query: [1, 1], perspective: [1, 0] });
  const scores = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 0].map((angle) => {
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    return scoreFromProducts(plan, x * plan.direction[0]! + y * plan.direction[1]!, x, 1);
  });
  scores.forEach((score, i) => assert.ok(score <= 1 + 1e-9 && score <= (scores[i - 1] ?? 1) + 1e-9));
  assert.ok(scores[0]! > 0.999 && scores[3]! < 0.11 && scores[5] === 0, String(scores));
});

test('cast+ and add+: a passage with nothing left has a finite score', () => {
  const p = [0.5, 0.25];
  for (const [method, passage] of [
    ['cast+', p],
    ['add+', [-0.5, -0.25]],
  ] as const)
    assert.equal(scoresOf(method, { q: [1, 0], r: [1, 0], p, passages: [passage] }, 1)[0], 0);
});

test('a zero passage scores 0 if only its own length divides', () => {
  for (const method of ['pap', 'pap+', 'add', 'cast', 'dual-sum'] as const)
    assert.deepEqual(scoresOf(method, { q: [1, 2], r: [0, 1], p: [1, 0], passages: [[0, 0]] }, 1), [0]);
});

test('uses the difference of query and root query as the perspective', () => {
  assert.deepEqual([...differencePerspective([1, 2], [1, 0.5])], [0, 1.5]);
  refuses(() => differencePerspective([1, 2], [1, 2]), /same vector/);
  refuses(() => differencePerspective([1, 2], [1]), /2 dimensions, the root query 1/);
});

test('refuses invalid inputs by name', () => {
  const q = [1, 2, 3];
  const plan = (method: ProjectionMethod, input: Parameters<typeof planProjection>[1]) => () =>
    planProjection(method, input);
  for (const method of PROJECTION_METHODS) {
    refuses(plan(method, { query: q, root: q, perspective: [0, 0, 0] }), /perspective has length zero/);
    refuses(plan(method, { query: q, root: q, perspective: [0, NaN, 0] }), /perspective has .* not a number/);
    refuses(plan(method, { query: q, root: q, perspective: [1, 0, 0], weight: NaN }), /weight .* not NaN/);
    refuses(plan(method, { perspective: [1, 0, 0] }), /needs the vector of the (root )?query/);
    refuses(plan(method, { query: [1], root: [1], perspective: [1, 0] }), /1 dimensions, the perspective 2/);
    refuses(plan(method, { query: [0, 0], root: [0, 0], perspective: [1, 0] }), /query has length zero/);
  }
  for (const factor of [2, -0.3]) {
    const parallel = Float32Array.from(q, (value) => value * factor);
    refuses(plan('pap', { query: q, perspective: parallel }), /parallel/);
    refuses(plan('pap+', { query: q, perspective: parallel }), /parallel/);
  }
  refuses(plan('cast', { query: q, perspective: q }), /The projection is empty/);
  refuses(plan('add', { root: q, perspective: q, weight: -1 }), /The projection is empty/);
  refuses(
    () => scoreRows(planProjection('pap', { query: [1, 2], perspective: [1, 0] }), new Float32Array(3)),
    /3 numbers/,
  );
});

test('a query parallel to the perspective keeps its direction at other weights', () => {
  const scores = scoresOf('pap', { q: [2, 4], r: [1, 0], p: [1, 2], passages: [[1, 2]] }, 0.5);
  assert.ok(Math.abs(scores[0]! - 1) < 1e-9);
});

function refuses(work: () => unknown, message: RegExp): void {
  assert.throws(work, (error) => {
    assert.ok(ParallaxError.is(error, 'bad-argument'), String(error));
    assert.match(error.message, message);
    return true;
  });
}
