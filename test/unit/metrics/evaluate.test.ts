import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { evaluateRun } from '../../../src/core/metrics/evaluate.ts';
import { parseMeasure } from '../../../src/core/metrics/measures.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';
import { judgementsOf } from './arbitraries.ts';

const runOf = (topics: Record<string, string>): Run =>
  new Map(
    Object.entries(topics).map(([topic, passages]) => [
      topic,
      passages.split(' ').flatMap((item, index) => (item === '' ? [] : [{ item, score: -index }])),
    ]),
  );
const MEASURES = ['MRecall@2', 'P@2', 'Judged@2'].map(parseMeasure);
const QRELS: Qrels = new Map([
  ['q1', judgementsOf({ pro: 'a', con: 'b' })],
  ['q2', judgementsOf({ pro: 'c', con: 'd' })],
]);

test('returns means over topics and the values of each topic', () => {
  const { topics, topicsInRun, mean, perTopic, warnings } = evaluateRun(
    runOf({ q1: 'a b', q2: 'c x' }),
    QRELS,
    MEASURES,
  );
  assert.deepEqual([topics, topicsInRun, warnings], [2, 2, []]);
  assert.deepEqual(mean, { 'MRecall@2': 0.5, 'P@2': 0.75, 'Judged@2': 0.75 });
  assert.deepEqual(perTopic.get('q2'), { 'MRecall@2': 0, 'P@2': 0.5, 'Judged@2': 0.5 });
});

test('counts a missing topic as 0 or skips it', () => {
  const run = runOf({ q1: 'a b' });
  const zero = evaluateRun(run, QRELS, MEASURES);
  assert.deepEqual([zero.topicsInRun, zero.mean['MRecall@2'], zero.perTopic.size], [1, 0.5, 2]);
  assert.match(zero.warnings.join(), /1 of 2 topics with judgements are missing from the run and count 0/);
  const drop = evaluateRun(run, QRELS, MEASURES, { missing: 'drop' });
  assert.deepEqual([drop.topics, drop.mean['MRecall@2'], drop.perTopic.size], [2, 1, 1]);
  assert.match(drop.warnings.join(), /left out of the means/);
});

test('counts a topic with an empty ranking as 0, with nothing to judge', () => {
  const { topicsInRun, mean, warnings } = evaluateRun(runOf({ q1: 'a b', q2: '' }), QRELS, MEASURES, {
    missing: 'drop',
  });
  assert.deepEqual([topicsInRun, mean['MRecall@2'], mean['Judged@2'], warnings], [2, 0.5, 1, []]);
  const nothing = evaluateRun(runOf({ q1: '', q2: '' }), QRELS, MEASURES).mean;
  assert.deepEqual([nothing['MRecall@2'], nothing['Judged@2']], [0, undefined], 'no share of nothing');
  const unjudged = evaluateRun(runOf({ q1: 'x y', q2: '' }), QRELS, MEASURES).mean;
  assert.equal(unjudged['Judged@2'], 0);
});

test('ignores topics without judgements with a warning', () => {
  const { topics, mean, warnings } = evaluateRun(runOf({ q1: 'a b', q2: 'c d', q9: 'x' }), QRELS, MEASURES);
  assert.deepEqual([topics, mean['MRecall@2']], [2, 1]);
  assert.match(warnings.join(), /1 of 3 topics of the run have no judgements .* "q9"/);
});

test('warns if no query id matches', () => {
  const run = runOf({ '1': 'a b' });
  const { mean, warnings } = evaluateRun(run, QRELS, MEASURES);
  assert.equal(mean['MRecall@2'], 0);
  assert.match(warnings.join(), /share no topic.*run: "1", judgements: "q1"/);
  assert.throws(
    () => evaluateRun(run, QRELS, MEASURES, { missing: 'drop' }),
    (error) => ParallaxError.is(error, 'bad-argument') && /share no topic/.test(error.message),
  );
});

test('plain qrels omit diversity measures unless "0" is declared a perspective', () => {
  const qrels: Qrels = new Map([['q1', judgementsOf({ '0': 'a' })]]);
  assert.deepEqual(evaluateRun(runOf({ q1: 'a' }), qrels, MEASURES).mean, { 'P@2': 0.5, 'Judged@2': 1 });
  assert.equal(evaluateRun(runOf({ q1: 'a' }), qrels, MEASURES, { kind: 'diversity' }).mean['MRecall@2'], 1);
});
