import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { symmetricEigenvalues } from '../../../src/core/likeness/eigenvalues.ts';
import { placeIn, principalPlane } from '../../../src/core/likeness/pca.ts';

const near = (actual: number, expected: number, within = 1e-6): void =>
  assert.ok(Math.abs(actual - expected) < within, `${actual} is not ${expected}`);

const rows = fc.integer({ min: 3, max: 12 }).chain((n) =>
  fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 }), {
    minLength: n,
    maxLength: n,
  }),
);

test('the plane has the two largest eigenvalues of the covariance', () => {
  fc.assert(
    fc.property(rows, (raw) => {
      const n = raw.length;
      const plane = principalPlane(Float32Array.from(raw.flat()), n);
      const means = [0, 1, 2, 3].map((at) => raw.reduce((sum, row) => sum + row[at]!, 0) / n);
      const scatter = Float64Array.from({ length: 16 }, (_, place) => {
        const [a, b] = [Math.floor(place / 4), place % 4];
        return raw.reduce((sum, row) => sum + (row[a]! - means[a]!) * (row[b]! - means[b]!), 0);
      });
      const values = [...symmetricEigenvalues(scatter, 4)].reverse();
      const total = values.reduce((sum, value) => sum + value, 0);
      if (total > 1e-9) near(plane.explained, (values[0]! + values[1]!) / total, 1e-3);
      for (const axis of plane.axes)
        assert.ok(Math.max(...axis) >= -Math.min(...axis) - 1e-12, 'its largest part is positive');
      const places = raw.map((row) => placeIn(plane, row));
      near(
        places.reduce((sum, { x }) => sum + x, 0),
        0,
      );
      near(
        places.reduce((sum, { y }) => sum + y, 0),
        0,
      );
      const spread = places.reduce((sum, { x, y }) => sum + x * x + y * y, 0);
      near(spread, plane.explained * total, 1e-3 * (1 + total));
    }),
  );
});

test('points on a line are on the first axis; equal or no points are at the origin', () => {
  const line = principalPlane(Float32Array.from([0, 0, 1, 1, 2, 2, 5, 5]), 4);
  near(line.explained, 1);
  near(placeIn(line, [5, 5]).x, 3 * Math.SQRT2);
  near(placeIn(line, [5, 5]).y, 0);
  const same = principalPlane(Float32Array.from([1, 2, 1, 2]), 2);
  assert.deepEqual([same.explained, placeIn(same, [1, 2])], [1, { x: 0, y: 0 }]);
  assert.equal(principalPlane(new Float32Array(), 0).explained, 1);
});

test('equal vectors give the same plane, to the last bit', () => {
  const vectors = Float32Array.from({ length: 60 }, (_, at) => Math.cos(at * at));
  assert.deepEqual(principalPlane(vectors, 10), principalPlane(vectors.slice(), 10));
});
