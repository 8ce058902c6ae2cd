import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mean } from '../../../src/core/statistics/mean.ts';
import {
  correctedMean,
  DIFFERENCES,
  moreDecided,
  type PredictedUnit,
} from '../../../src/core/statistics/prediction-powered.ts';
import { seededRandom, type Random } from '../../../src/core/statistics/random.ts';

interface Population {
  readonly truths: readonly number[];
  readonly predictions: readonly number[];
}

/** A judge with false positives. */
function population(size: number, random: Random): Population {
  const truths = Array.from({ length: size }, () => Number(random() < 0.6));
  return { truths, predictions: truths.map((truth) => (truth === 1 ? 1 : Number(random() < 0.6))) };
}

function decidedBy(
  { truths, predictions }: Population,
  chanceOf: (at: number) => number,
  random: Random,
): PredictedUnit[] {
  return predictions.map((predicted, at) => {
    const chance = chanceOf(at);
    return random() < chance ? { predicted, truth: truths[at]!, chance } : { predicted };
  });
}

/** Units with equal verdicts by the judge; people decided the first ones. */
const equals = (predicted: number, size: number, truths: readonly number[]): PredictedUnit[] =>
  Array.from({ length: size }, (_, at) => ({ predicted, ...(at < truths.length && { truth: truths[at]! }) }));
const near = (found: number, expected: number, within: number): void =>
  assert.ok(Math.abs(found - expected) < within, `${found} instead of ${expected}`);

/** Units with equal values by the judge; people decided the first ones, each sampled with the same probability. */
const level = (
  predicted: number,
  size: number,
  truths: readonly number[],
  drawn: Pick<PredictedUnit, 'chance'> = {},
): PredictedUnit[] =>
  Array.from({ length: size }, (_, at) =>
    at < truths.length ? { predicted, truth: truths[at]!, ...drawn } : { predicted },
  );
const times = <T>(count: number, values: readonly T[]): T[] => Array<readonly T[]>(count).fill(values).flat();

/** Computed from docs/corrected-figures.md by an independent program. */
const WORKED_OUT: Record<string, { units: PredictedUnit[]; value: number; low: number; high: number }> = {
  'neighbours by the judge’s value are a stratum as soon as 12 of them are decided, and the rest joins the last':
    {
      units: [
        ...level(1, 40, [1, 1, 0.5, 1, 0.5, 1]),
        ...level(0, 40, [0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 1, 0, 0]),
        ...level(0.5, 40, [0.5, 0, 1, 0.5, 0.5, 0, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 0, 0.5, 0.5]),
      ],
      ...{ value: 0.503663004, low: 0.417335233, high: 0.591563161 },
    },
  'there are at most four strata': {
    units: [
      ...level(0.75, 20, times(2, [0.75, 0.75, 0.75, 0, 1])),
      ...level(0, 40, times(4, [0, 0, 0, 0, 1])),
      ...level(1, 20, times(2, [1, 1, 1, 0, 1])),
      ...level(0.25, 60, times(4, [0.25, 0.25, 0.25, 0, 1])),
      ...level(0.5, 40, times(4, [0.5, 0.5, 0.5, 0, 1])),
    ],
    ...{ value: 0.433333333, low: 0.372637455, high: 0.494164713 },
  },
  'units weigh by their chances, those that were picked or are alone stand for themselves': {
    units: [
      ...level(1, 50, [1, 1, 1, 0, 1, 1, 0.75, 1], { chance: 0.5 }),
      ...level(0.25, 50, [0.25, 0, 0, 0.25, 0.5, 0.25], { chance: 0.2 }),
      ...times(5, [{ predicted: 1, truth: 0 }]),
      ...times(5, [{ predicted: 1, truth: 0.25, chance: 0.5, isAlone: true }]),
    ],
    ...{ value: 0.505434783, low: 0.3963948, high: 0.614474766 },
  },
  'ten decided units reach as far as Student’s t with 11 degrees of freedom': {
    units: level(0.5, 30, [0.5, 0.25, 0.5, 1, 0.5, 0.5, 0.25, 0.5, 0.5, 0.5]),
    ...{ value: 0.5, low: 0.389402035, high: 0.610597965 },
  },
  'of differences, the made-up residuals may be below 0': {
    units: level(0, 30, [0, -0.5, 0, 0.5, 0, -0.5, 0, 0, 0, 0, 0, -0.5]),
    ...{ value: -0.083333333, low: -0.230968572, high: 0.064301905 },
  },
  'values that differ by rounding alone are no step': {
    units: [...level(0.5, 60, times(4, [0.1 + 0.2, 0.3, 0.8])), ...level(0.9, 20, Array<number>(13).fill(1))],
    ...{ value: 0.6, low: 0.506335557, high: 0.692414443 },
  },
};

describe('a corrected mean matches an independent program', () => {
  for (const [name, { units, ...expected }] of Object.entries(WORKED_OUT))
    test(name, () => {
      const found = correctedMean(units, name.includes('differences') ? DIFFERENCES : undefined)!;
      for (const part of ['value', 'low', 'high'] as const) near(found[part], expected[part], 2e-9);
    });
});

describe('a corrected mean', () => {
  test('matches a calculation by hand', () => {
    // 12 of 48 decided, weighing 4 each: residuals 9 × 0.5 and 3 × −0.5, made up 0.5 and −0.5; t with 13 degrees of
    // freedom reaches 2.1604.
    const found = correctedMean(equals(0.5, 48, [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]))!;
    near(found.value, 0.75, 1e-12);
    near(found.low, 0.4888, 3e-4);
    near(found.high, 0.9576, 3e-4);
  });

  test('may be below 0 for differences, but not for shares', () => {
    const worse = [-1, -0.5, -1, -0.5, -1, -0.5, -1, -0.5, -1, -0.5, -1, -0.5];
    near(correctedMean(equals(0, 48, worse), DIFFERENCES)!.value, -0.75, 1e-12);
    assert.ok(correctedMean(equals(-0.5, 48, Array<number>(12).fill(-1)), DIFFERENCES)!.low >= -1);
    const none = correctedMean(equals(0.25, 48, Array<number>(12).fill(0)))!;
    assert.deepEqual([none.value, none.low], [0, 0]);
    // The sample has no value below 0, but the other units may.
    const even = correctedMean(equals(0, 48, Array<number>(12).fill(0)), DIFFERENCES)!;
    assert.ok(even.low < 0 && even.high > 0);
    near(even.low, -even.high, 1e-12);
  });

  test('equals the mean of people if they decided all, without uncertainty', () => {
    const random = seededRandom(1);
    const { truths, predictions } = population(40, random);
    const units = predictions.map((predicted, at) => ({ predicted, truth: truths[at]! }));
    const found = correctedMean(units)!;
    assert.ok(Math.abs(found.value - mean(truths)) < 1e-12);
    assert.ok(found.high - found.low < 1e-9, JSON.stringify(found));
  });

  test('is in its interval as often as stated, even if units were sampled unequally', () => {
    const random = seededRandom(7);
    const all = population(200, random);
    const truth = mean(all.truths);
    for (const chanceOf of [() => 0.2, (at: number) => (all.predictions[at] === 1 ? 0.3 : 0.1)]) {
      const draws = Array.from({ length: 600 }, () => correctedMean(decidedBy(all, chanceOf, random))!);
      const covered = draws.filter(({ low, high }) => low <= truth && truth <= high).length / draws.length;
      assert.ok(covered > 0.92 && covered < 0.98, `covered ${covered}`);
      const value = mean(draws.map((draw) => draw.value));
      assert.ok(Math.abs(value - truth) < 0.015, `mean ${value}, truth ${truth}`);
      assert.ok(Math.abs(mean(all.predictions) - truth) > 0.1, 'the judge alone is wrong');
    }
  });

  test('is narrower with a better judge', () => {
    const random = seededRandom(3);
    const { truths } = population(100, random);
    const width = (errors: number): number => {
      const units = truths.map((truth, at) => ({
        predicted: random() < errors ? 1 - truth : truth,
        ...(at % 3 === 0 ? { truth } : {}),
      }));
      const { low, high } = correctedMean(units)!;
      return high - low;
    };
    assert.ok(width(0.02) < 0.8 * width(0.4));
  });

  test('is never certain because units agree', () => {
    const units = Array.from({ length: 100 }, (_, at) => ({
      predicted: at % 2,
      ...(at < 20 ? { truth: at % 2 } : {}),
    }));
    const { value, low, high } = correctedMean(units)!;
    assert.equal(value, 0.5);
    assert.ok(high - low > 0.05, `${low} to ${high}`);
  });

  test('hand-picked units represent only themselves if others were sampled', () => {
    const drawn = Array.from({ length: 60 }, (_, at) => ({
      predicted: 1,
      ...(at < 20 ? { truth: 1, chance: 1 / 3 } : {}),
    }));
    const picked = Array.from({ length: 40 }, () => ({ predicted: 1, truth: 0 }));
    const found = correctedMean([...drawn, ...picked])!;
    assert.ok(Math.abs(found.value - 0.6) < 1e-9, String(found.value));
    assert.ok(
      Math.abs(
        correctedMean([...drawn, ...picked.map((unit) => ({ ...unit, isAlone: true }))])!.value - 0.6,
      ) < 1e-9,
    );
  });

  test('one unit that represents only itself does not make the others hand-picked', () => {
    const decided = Array.from({ length: 30 }, (_, at) => ({
      predicted: 1,
      ...(at < 12 ? { truth: at % 2 } : {}),
    }));
    const alone = { predicted: 1, truth: 1, isAlone: true };
    assert.deepEqual(
      correctedMean([...decided, { ...alone, chance: 0.5 }]),
      correctedMean([...decided, alone]),
    );
  });

  test('needs ten units, without hand-picked ones', () => {
    const units = (decided: number): PredictedUnit[] =>
      Array.from({ length: 30 }, (_, at) => ({ predicted: 1, ...(at < decided ? { truth: 1 } : {}) }));
    assert.equal(correctedMean(units(9)), undefined);
    assert.ok(correctedMean(units(10)));
    assert.equal(correctedMean(units(12).map((unit) => ({ ...unit, isAlone: true }))), undefined);
  });
});

test('the number of further units falls with the wanted width and is never more than exist', () => {
  const now = { decided: 20, units: 100, half: 0.2 };
  assert.equal(moreDecided(now, 0.2), 0);
  assert.ok(moreDecided(now, 0.1) > moreDecided(now, 0.15));
  assert.equal(moreDecided(now, 0), 80);
  // 1/n − 1/100 must be a quarter of 1/20 − 1/100, so n is 50.
  assert.equal(moreDecided(now, 0.1), 30);
});
