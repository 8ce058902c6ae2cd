import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  differenceFor,
  fewestDiffering,
  meanTestPower,
  questionsFor,
  signTestPower,
  smallestShowable,
  votesOf,
} from '../../../src/core/statistics/power.ts';
import { randomisationTests } from '../../../src/core/statistics/randomisation.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

test('one test needs six differing questions, five tests need eight', () => {
  assert.equal(fewestDiffering(), 6);
  assert.equal(fewestDiffering({ tests: 5 }), 8);
  for (const [count, significant] of [
    [5, false],
    [6, true],
  ] as const) {
    const [p] = randomisationTests([Array<number>(count).fill(1)], { random: seededRandom(1) });
    assert.equal(p! <= 0.05, significant);
  }
});

test('the smallest difference falls with the number of questions', () => {
  assert.deepEqual(
    [5, 12, 30, 100].map((questions) => smallestShowable(questions, 1)),
    [undefined, 0.5, 0.2, 0.06],
  );
});

test('the power of a sign test is the probability of enough wins', () => {
  // All six must differ and agree in direction: 0.9^6.
  assert.ok(Math.abs(signTestPower(6, { better: 0.9, worse: 0 }) - 0.9 ** 6) < 1e-12);
  // Seven: seven wins, or six wins and a tie. Six wins and a loss are not significant.
  const seven = 0.8 ** 7 + 7 * 0.8 ** 6 * 0.1;
  assert.ok(Math.abs(signTestPower(7, { better: 0.8, worse: 0.1 }) - seven) < 1e-12);
  assert.equal(signTestPower(12, { better: 0, worse: 0 }), 0);
});

test('votes match the difference and the number of differing questions', () => {
  const { better, worse } = votesOf(0.1, 0.3);
  assert.ok(Math.abs(better - worse - 0.1) < 1e-12 && Math.abs(better + worse - 0.3) < 1e-12);
  assert.deepEqual(votesOf(0.4, 0.1), { better: 0.4, worse: 0 });
});

test('a test of means keeps its level without a difference and gains power with questions', () => {
  const differences = [0.5, -0.5, 0.2, -0.2, 0, 0, 0.1, -0.1];
  const level = meanTestPower(40, 0, differences);
  assert.ok(level > 0.01 && level < 0.045, `one side of 5 of 100: ${level}`);
  const powers = [12, 40, 150].map((questions) => meanTestPower(questions, 0.1, differences));
  assert.ok(powers[0]! < powers[1]! && powers[1]! < powers[2]!, powers.join(', '));
  assert.equal(meanTestPower(5, 1, differences), 0);
});

test('the result has the wanted power; a slightly smaller one does not', () => {
  const power = (questions: number, difference: number): number =>
    signTestPower(questions, votesOf(difference, 0.2));
  const questions = questionsFor((n) => power(n, 0.1))!;
  assert.ok(power(questions, 0.1) >= 0.8 && power(questions - 1, 0.1) < 0.8);
  const difference = differenceFor((d) => power(30, d))!;
  assert.ok(power(30, difference) >= 0.8 && power(30, difference - 0.01) < 0.8);
  assert.equal(
    differenceFor((d) => power(5, d)),
    undefined,
  );
  assert.equal(
    questionsFor(() => 0.5),
    undefined,
  );
});
