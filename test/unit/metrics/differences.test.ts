import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  holmCorrected,
  judgedByShare,
  knownDifferences,
  measureDifferences,
  type KnownScores,
} from '../../../src/core/metrics/differences.ts';
import type { RunEvaluation } from '../../../src/core/metrics/evaluate.ts';
import { mean } from '../../../src/core/statistics/mean.ts';

/** One measure with a value for each topic. */
function evaluation(...values: readonly number[]): RunEvaluation {
  return {
    topics: values.length,
    topicsInRun: values.length,
    mean: { 'nDCG@5': mean(values) },
    perTopic: new Map(values.map((value, index) => [`q${index}`, { 'nDCG@5': value }])),
    warnings: [],
  };
}

const ones = (count: number): number[] => new Array<number>(count).fill(1);
const zeros = (count: number): number[] => new Array<number>(count).fill(0);

test('difference, interval, p, and queries won, lost and tied', () => {
  const found = measureDifferences(evaluation(0.5, 0.5, 0.5, 0.1 + 0.2), evaluation(1, 1, 0, 0.3))['nDCG@5']!;
  assert.ok(Math.abs(found.difference - 0.125) < 1e-12);
  assert.ok(found.low <= found.difference && found.difference <= found.high);
  assert.deepEqual([found.wins, found.losses, found.ties], [2, 1, 1], 'rounding is a tie');
  // ±1.5 twice, ±0.5 six times: all eight assignments reach 0.5.
  assert.equal(found.p, 1);
});

test('a pipeline against itself: no difference, no width, p = 1', () => {
  const own = evaluation(0.2, 0.4, 0.9);
  assert.deepEqual(measureDifferences(own, own)['nDCG@5'], {
    difference: 0,
    low: 0,
    high: 0,
    p: 1,
    wins: 0,
    losses: 0,
    ties: 3,
  });
});

test('the p-values of several pipelines are Holm-corrected over just these', () => {
  const baseline = evaluation(...zeros(10));
  const [better, best, same] = [
    evaluation(...ones(6), ...zeros(4)),
    evaluation(...ones(8), ...zeros(2)),
    evaluation(...zeros(10)),
  ];
  const p = (others: readonly RunEvaluation[]): number[] =>
    holmCorrected(others.map((other) => measureDifferences(baseline, other))).map(
      (differences) => differences['nDCG@5']!.p,
    );
  assert.deepEqual(p([better]), [2 / 2 ** 6]);
  assert.deepEqual(p([better, best, same]), [(2 * 2) / 2 ** 6, (3 * 2) / 2 ** 8, 1]);
  assert.deepEqual(holmCorrected([]), []);
  assert.equal(measureDifferences(baseline, best)['nDCG@5']!.p, 2 / 2 ** 8, 'on its own, uncorrected');
});

test('refuses other topics or measures', () => {
  const other = {
    ...evaluation(1, 1),
    perTopic: new Map([
      ['q0', {}],
      ['q1', {}],
    ]),
  };
  for (const wrong of [evaluation(1), evaluation(1, 1, 1), other])
    assert.throws(
      () => measureDifferences(evaluation(0, 1), wrong),
      (error) => ParallaxError.is(error, 'bad-argument'),
    );
});

test('two topics give the widest interval; topics without differences give none', () => {
  const found = measureDifferences(evaluation(...zeros(2)), evaluation(...ones(2)))['nDCG@5']!;
  assert.deepEqual([found.difference, found.low, found.high, found.p], [1, -1, 1, 0.5]);
  const same = measureDifferences(evaluation(0, 1), evaluation(0, 1))['nDCG@5']!;
  assert.deepEqual([same.difference, same.low, same.high, same.p], [0, 0, 0, 1]);
});

/** MRecall@5, Documents@5 and the judged share of three topics; MRecall is open unless all are judged. */
function known(recall: readonly number[], judged: readonly number[], documents = [1, 1, 1]): KnownScores {
  const perTopic = new Map(
    recall.map((value, index) => [
      `q${index}`,
      { 'MRecall@5': value, 'Documents@5': documents[index]!, 'Judged@5': judged[index]! },
    ]),
  );
  return {
    mean: { 'MRecall@5': mean(recall), 'Documents@5': mean(documents), 'Judged@5': mean(judged) },
    perTopic,
    open: new Set(judged.every((share) => share === 1) ? [] : ['MRecall@5']),
    isJudged: judgedByShare({ perTopic }),
  };
}

test('measures that verdicts may change are compared on topics judged fully in both runs', () => {
  const before = known([0, 0, 1], [1, 1, 0.8]);
  const after = known([1, 1, 1], [1, 0.6, 1], [2, 2, 2]);
  const { 'MRecall@5': recall, 'Documents@5': documents } = knownDifferences(before, after);
  assert.partialDeepStrictEqual(recall!, { difference: 1, wins: 1, losses: 0, ties: 0 });
  assert.partialDeepStrictEqual(documents!, { difference: 1, wins: 3 }, 'no verdict changes it');
  assert.equal(
    knownDifferences(before, known([1, 1, 1], [0, 0, 1]))['MRecall@5'],
    undefined,
    'none is judged',
  );
});

test('measures that no verdict can change are compared on all topics', () => {
  const before = { ...known([0, 0, 1], [1, 1, 0.8]), open: new Set<string>() };
  assert.partialDeepStrictEqual(knownDifferences(before, before)['MRecall@5']!, { ties: 3 });
});
