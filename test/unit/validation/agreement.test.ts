import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';
import { cohensKappa, fleissKappa } from '../../../src/features/validation/core/agreement.ts';

const near = (actual: number | null, expected: number, tolerance = 1e-12) =>
  assert.ok(actual !== null && Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

/** `[2, 0, 1]`: two ratings of category 0, one of category 2. */
const ratingsOf = (counts: readonly number[]) =>
  counts.flatMap((count, category) => new Array<string>(count).fill(String(category)));

/** A table of counts, row: first rater, column: second. */
function raters(table: readonly (readonly number[])[]): [string[], string[]] {
  const first: string[] = [];
  const second: string[] = [];
  table.forEach((row, a) =>
    row.forEach((count, b) => {
      first.push(...new Array<string>(count).fill(String(a)));
      second.push(...new Array<string>(count).fill(String(b)));
    }),
  );
  return [first, second];
}

test('Cohen: the grant proposals of the textbook example, κ = 0.40', () => {
  const { items, observed, expected, kappa, shares } = cohensKappa(
    ...raters([
      [20, 5],
      [10, 15],
    ]),
  );
  assert.deepEqual([items, observed], [50, 0.7]);
  near(expected, 0.5);
  near(kappa, 0.4);
  assert.deepEqual(shares, [
    { 0: 0.5, 1: 0.5 },
    { 0: 0.6, 1: 0.4 },
  ]);
});

test('Cohen: the same raw agreement, other base rates, other κ', () => {
  near(
    cohensKappa(
      ...raters([
        [45, 15],
        [25, 15],
      ]),
    ).kappa,
    0.1304,
    5e-5,
  );
  near(
    cohensKappa(
      ...raters([
        [25, 35],
        [5, 35],
      ]),
    ).kappa,
    0.2593,
    5e-5,
  );
});

test('Cohen: raters who always disagree, and raters with only one category', () => {
  near(cohensKappa(['a', 'b'], ['b', 'a']).kappa, -1);
  assert.deepEqual(cohensKappa(['a', 'a'], ['a', 'a']).kappa, null);
  assert.deepEqual(cohensKappa([], []).observed, null);
  assert.throws(
    () => cohensKappa(['a'], []),
    (error) => ParallaxError.is(error, 'bad-argument'),
  );
});

test('Fleiss: the widely printed example of 14 raters, κ = 0.210', () => {
  const table = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
  ];
  const { items, observed, expected, kappa, shares } = fleissKappa(table.map(ratingsOf));
  assert.equal(items, 10);
  near(observed, 0.378, 5e-4);
  near(expected, 0.213, 5e-4);
  near(kappa, 0.21, 5e-4);
  near(shares['2']!, 0.279, 5e-4);
});

test('Fleiss 1971: 30 patients, six psychiatrists, κ = 0.430', () => {
  const table = [
    [0, 0, 0, 6, 0],
    [0, 3, 0, 0, 3],
    [0, 1, 4, 0, 1],
    [0, 0, 0, 0, 6],
    [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2],
    [2, 0, 3, 1, 0],
    [2, 0, 0, 4, 0],
    [0, 0, 0, 0, 6],
    [1, 0, 0, 5, 0],
    [1, 1, 0, 4, 0],
    [0, 3, 3, 0, 0],
    [1, 0, 0, 5, 0],
    [0, 2, 0, 3, 1],
    [0, 0, 5, 0, 1],
    [3, 0, 0, 1, 2],
    [5, 1, 0, 0, 0],
    [0, 2, 0, 4, 0],
    [1, 0, 2, 0, 3],
    [0, 0, 0, 0, 6],
    [0, 1, 0, 5, 0],
    [0, 2, 0, 1, 3],
    [2, 0, 0, 4, 0],
    [1, 0, 0, 4, 1],
    [0, 5, 0, 1, 0],
    [4, 0, 0, 0, 2],
    [0, 2, 0, 4, 0],
    [1, 0, 5, 0, 0],
    [0, 0, 0, 0, 6],
  ];
  const { kappa, observed, expected } = fleissKappa(table.map(ratingsOf));
  near(observed, 0.5556, 5e-5);
  near(expected, 0.2199, 5e-5);
  near(kappa, 0.43, 5e-4);
});

test('Fleiss with missing ratings: four raters of twelve units, κ = 0.76117', () => {
  // '.' is no rating. The last unit has one rating, which counts for the shares only.
  const units = [
    '111.',
    '2232',
    '3333',
    '3333',
    '2222',
    '1234',
    '4444',
    '1121',
    '2222',
    '.555',
    '..11',
    '..3.',
  ];
  const { items, observed, expected, kappa } = fleissKappa(
    units.map((unit) => [...unit].filter((rating) => rating !== '.')),
  );
  assert.equal(items, 11);
  near(observed, 0.81818, 5e-6);
  near(expected, 0.23872, 5e-6);
  near(kappa, 0.76117, 5e-6);
});

test('Fleiss: no item with two ratings', () => {
  const { items, observed, kappa, shares } = fleissKappa([['yes'], ['no'], []]);
  assert.deepEqual([items, observed, kappa, shares], [0, null, null, { yes: 0.5, no: 0.5 }]);
});

const rating = fc.constantFrom('yes', 'no', 'unsure');

test('κ lies in [−1, 1], does not depend on order, and is 1 for identical raters', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(rating, rating), { minLength: 1 }), (pairs) => {
      const { kappa } = cohensKappa(
        pairs.map(([a]) => a),
        pairs.map(([, b]) => b),
      );
      const turned = [...pairs].reverse();
      const again = cohensKappa(
        turned.map(([, b]) => b),
        turned.map(([a]) => a),
      ).kappa;
      assert.ok(kappa === null || (kappa >= -1 - 1e-12 && kappa <= 1));
      if (kappa === null) assert.equal(again, null);
      else near(again, kappa, 1e-9);
    }),
  );
  fc.assert(
    fc.property(fc.array(rating, { minLength: 2 }), (ratings) => {
      fc.pre(new Set(ratings).size > 1);
      near(cohensKappa(ratings, ratings).kappa, 1, 1e-9);
      near(fleissKappa(ratings.map((each) => [each, each, each])).kappa, 1, 1e-9);
    }),
  );
});

test('Fleiss does not depend on the order of raters and items', () => {
  fc.assert(
    fc.property(fc.array(fc.array(rating, { maxLength: 5 })), (items) => {
      const a = fleissKappa(items);
      const b = fleissKappa([...items].reverse().map((ratings) => [...ratings].reverse()));
      assert.equal(a.items, b.items);
      assert.ok(a.kappa === null ? b.kappa === null : Math.abs(a.kappa - b.kappa!) < 1e-9);
    }),
  );
});

test('raters who guess have κ of about 0, whatever their base rates', () => {
  const random = seededRandom(3);
  const draw = (share: number) => (random() < share ? 'yes' : 'no');
  const items = Array.from({ length: 40_000 }, () => [draw(0.2), draw(0.7)] as const);
  // Standard deviation below 0.005.
  near(
    cohensKappa(
      items.map(([a]) => a),
      items.map(([, b]) => b),
    ).kappa,
    0,
    0.02,
  );
  near(fleissKappa(items.map(() => [draw(0.2), draw(0.2), draw(0.2)])).kappa, 0, 0.02);
});
