/** Known values, and bounds; stages and ranks of an evaluation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PLACES, placeSchema } from '../../../src/core/coverage-states.ts';
import { areComparable, atLeast, exactly, meanOf, type Measured } from '../../../src/core/measured.ts';
import { evaluateRun } from '../../../src/core/metrics/evaluate.ts';
import { parseMeasure } from '../../../src/core/metrics/measures.ts';
import { measuredRun } from '../../../src/core/metrics/unjudged.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';
import type { QueryEvaluation } from '../../../src/evaluation/evaluation.ts';
import { coveredShareAt, lostPerspectives, measuredAt, rankAt } from '../../../src/evaluation/reading.ts';
import { measuredText, placeMeaning } from '../../../src/core/facts.ts';
import { stateOf } from '../../fixtures/evaluation.ts';

const percent = (value: number): string => `${(value * 100).toFixed(1)}%`;
const OPEN: Measured = { value: 0.5, bound: 'open', most: 0.6 };

describe('a measured value', () => {
  test('is a lower bound only if it can still rise', () => {
    assert.deepEqual(atLeast(0.4, 0.6), { value: 0.4, bound: 'least', most: 0.6 });
    assert.deepEqual(atLeast(0.4, 0.4), exactly(0.4));
  });

  test('is compared only with a known value', () => {
    const [known, bound] = [exactly(0.5), atLeast(0.1, 0.9)];
    assert.equal(areComparable(known, exactly(0)), true);
    for (const other of [bound, OPEN]) {
      assert.equal(areComparable(known, other), false);
      assert.equal(areComparable(other, known), false);
      assert.equal(areComparable(other, other), false, 'two bounds have no difference either');
    }
  });

  test('makes a mean a bound', () => {
    assert.deepEqual(meanOf([exactly(0), exactly(1)]), exactly(0.5));
    assert.deepEqual(meanOf([exactly(0), atLeast(0, 1)]), { value: 0, bound: 'least', most: 0.5 });
    assert.equal(meanOf([atLeast(0, 1), OPEN]).bound, 'open');
  });

  test('is formatted with its bound', () => {
    assert.equal(measuredText(exactly(0.4), percent), '40.0%');
    assert.equal(measuredText(atLeast(0.4, 0.6), percent), '≥ 40.0%');
    assert.equal(measuredText(atLeast(0.4, 0.4004), percent), '40.0%', 'it cannot rise by what is printed');
    assert.equal(measuredText(OPEN, percent), '50.0%');
  });
});

describe('the values of a run', () => {
  const run: Run = new Map([['q', ['a', 'b'].map((item, place) => ({ item, score: -place }))]]);
  const names = ['MRecall@2', 'Precision@2', 'nDCG@2', 'Judged@2'];
  const measured = (
    qrels: Qrels,
    basis: 'open' | 'given' = 'open',
  ): ReturnType<typeof measuredRun>['means'] =>
    measuredRun(
      evaluateRun(run, qrels, names.map(parseMeasure), { kind: 'diversity', basis }),
      run,
      qrels,
      basis,
    ).means;
  const partly: Qrels = new Map([['q', new Map([['p', new Map([['b', 1]])]])]]);

  test('are bounds while passages of the top k are unjudged', () => {
    const { 'MRecall@2': recall, 'Precision@2': precision, 'nDCG@2': ndcg } = measured(partly);
    assert.deepEqual(recall, exactly(1));
    assert.deepEqual(precision, { value: 0.5, bound: 'least', most: 1 });
    assert.equal(ndcg!.bound, 'open');
    assert.deepEqual(measured(partly)['Judged@2'], exactly(0.5));
  });

  test('are known if all of the top k is judged or the qrels are complete', () => {
    const whole: Qrels = new Map([
      [
        'q',
        new Map([
          [
            'p',
            new Map([
              ['a', 0],
              ['b', 1],
            ]),
          ],
        ]),
      ],
    ]);
    for (const means of [measured(whole), measured(partly, 'given')])
      for (const [name, value] of Object.entries(means)) assert.equal(value.bound, 'exact', name);
  });
});

describe('an evaluation', () => {
  const K = 5;
  const perspective = (
    id: string,
    ...ranks: readonly (number | null)[]
  ): QueryEvaluation['perspectives'][number] => ({
    ...{ id, text: id, letter: 'A', color: 0, supportKnown: true },
    states: [...ranks.map((rank) => stateOf(id, rank, K, 'not-retrieved')), null],
  });
  const query: QueryEvaluation = {
    ...{ id: 'q', text: 'Q?', tags: [] },
    perspectives: [perspective('gone', null), perspective('top', 2), perspective('deep', 9)],
    results: [{ measures: { 'MRecall@5': exactly(0) }, judged: 1 }, null],
  };

  test('lists lost perspectives, the most recoverable first', () => {
    assert.deepEqual(
      lostPerspectives([query], 0).map(({ perspective: { id }, where, rank }) => [id, where, rank]),
      [
        ['deep', 'below-k', 9],
        ['gone', 'not-retrieved', undefined],
      ],
    );
    assert.deepEqual(
      lostPerspectives([query], 1),
      [],
      'nothing is known of a pipeline that could not be run',
    );
  });

  test('returns ranks and values by the index of the pipeline', () => {
    assert.deepEqual(
      query.perspectives.map((one) => rankAt(one, 0)),
      [undefined, 2, 9],
    );
    assert.equal(coveredShareAt(query, 0), 1 / 3);
    assert.deepEqual(measuredAt(query, 0, 'MRecall@5'), exactly(0));
    assert.equal(measuredAt(query, 1, 'MRecall@5'), undefined);
  });

  test('has one vocabulary of stages', () => {
    for (const place of PLACES) {
      assert.equal(placeSchema.parse(place), place);
      assert.match(placeMeaning(place), /\.$/u);
    }
    assert.equal(placeSchema.safeParse('not-in-corpus').success, false);
  });
});
