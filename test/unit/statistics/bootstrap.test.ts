import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bootstrapIntervals,
  intervalsWithin,
  quantile,
  type BootstrapOptions,
  type DifferenceInterval,
} from '../../../src/core/statistics/bootstrap.ts';
import { mean } from '../../../src/core/statistics/mean.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

const intervalOf = (differences: readonly number[], options: BootstrapOptions): DifferenceInterval =>
  bootstrapIntervals([differences], options)[0]!;

test('the generator is reproducible by seed, differs between seeds, and is uniform in [0, 1)', () => {
  const draw = (seed: number, count: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: count }, () => random());
  };
  assert.deepEqual(draw(1, 5), draw(1, 5));
  assert.notDeepEqual(draw(1, 5), draw(2, 5));
  const values = draw(42, 100_000);
  assert.ok(values.every((value) => value >= 0 && value < 1));
  const tenths = Array.from(
    { length: 10 },
    (_, tenth) => values.filter((value) => Math.floor(value * 10) === tenth).length,
  );
  assert.ok(
    tenths.every((count) => Math.abs(count - 10_000) < 400),
    `4 standard deviations: ${tenths.join()}`,
  );
});

test('successive numbers of the generator are independent', () => {
  const random = seededRandom(7);
  const values = Array.from({ length: 20_000 }, () => random() - 0.5);
  const products = values.slice(1).map((value, index) => value * values[index]!);
  // Correlation at lag 1, of a uniform variable with variance 1/12; its standard deviation is 0.007.
  assert.ok(Math.abs(mean(products) * 12) < 0.03);
});

test('a constant difference has zero width', () => {
  const { difference, low, high } = intervalOf([1, 1, 1], { random: seededRandom(1) });
  assert.deepEqual([difference, low, high], [1, 1, 1]);
});

test('the interval agrees with the normal one for many topics', () => {
  const random = seededRandom(3);
  const first = Array.from({ length: 400 }, () => random());
  const second = first.map((value) => value + random() - 0.4);
  const differences = second.map((value, index) => value - first[index]!);
  const center = mean(differences);
  const error = Math.sqrt(mean(differences.map((value) => (value - center) ** 2)) / differences.length);
  const { difference, low, high } = intervalOf(differences, {
    random: seededRandom(5),
    resamples: 4000,
  });
  assert.ok(Math.abs(difference - center) < 1e-12);
  assert.ok(Math.abs(low - (center - 1.96 * error)) < 0.15 * error);
  assert.ok(Math.abs(high - (center + 1.96 * error)) < 0.15 * error);
});

test('a wider level gives a wider interval; the same seed the same one', () => {
  const interval = (level: number) => intervalOf([1, 0, 0, 1, 0, -1], { random: seededRandom(9), level });
  assert.deepEqual(interval(0.9), interval(0.9));
  assert.ok(interval(0.99).low <= interval(0.5).low && interval(0.5).high <= interval(0.99).high);
  assert.ok(interval(0.99).high - interval(0.99).low > interval(0.5).high - interval(0.5).low);
});

test('several measures have the same intervals as each alone', () => {
  const measures = [
    [0.5, 0, 0.25, -0.5, 1],
    [0, 0, 1, 1, -1],
  ];
  const options = () => ({ random: seededRandom(11), resamples: 500 });
  const alone = measures.map((differences) => intervalOf(differences, options()));
  assert.deepEqual(bootstrapIntervals(measures, options()), alone);
});

test('fewer than six topics give the widest possible interval', () => {
  const ranges = [[-1, 1]] as const;
  const interval = (values: readonly number[]) =>
    intervalsWithin([values], ranges, { random: seededRandom(13) })[0]!;
  assert.deepEqual(interval([-0.2]), { difference: -0.2, low: -1, high: 1 });
  assert.deepEqual(interval([1, 1, 1, 1, 1]), { difference: 1, low: -1, high: 1 });
  const six = [0.25, 0.5, 0.5, 0.75, 0.25, 1];
  assert.deepEqual(interval(six), intervalOf(six, { random: seededRandom(13) }));
});

test('equal topics still have an interval, as in Clopper and Pearson', () => {
  const interval = (values: readonly number[], range: readonly [number, number]) =>
    intervalsWithin([values], [range], { random: seededRandom(13) })[0]!;
  // Clopper and Pearson: 0 of 20, and 20 of 20.
  const none = interval(new Array<number>(20).fill(0), [0, 1]);
  assert.deepEqual([none.low, Number(none.high.toFixed(4))], [0, 0.1684]);
  const all = interval(new Array<number>(20).fill(1), [0, 1]);
  assert.deepEqual([Number(all.low.toFixed(4)), all.high], [0.8316, 1]);
  // As with the randomisation test, six that all win are just enough.
  assert.ok(interval([1, 1, 1, 1, 1, 1], [-1, 1]).low > 0);
});

test('a quantile interpolates between its neighbours', () => {
  const sorted = Float64Array.of(0, 10, 30, 70);
  assert.deepEqual(
    [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(sorted, share)),
    [0, 7.5, 20, 40, 70],
  );
});
