import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { measureName, measuresAt, parseMeasure } from '../../../src/core/metrics/measures.ts';

const refuses = (name: string, sentence: RegExp) =>
  assert.throws(
    () => parseMeasure(name),
    (error) => ParallaxError.is(error, 'bad-argument') && sentence.test(error.message),
    name,
  );

test('names are read and written alike', () => {
  for (const measure of measuresAt([1, 5, 10])) assert.deepEqual(parseMeasure(measureName(measure)), measure);
  assert.deepEqual(parseMeasure('alpha_nDCG@10'), { family: 'alpha_nDCG', k: 10 });
  assert.deepEqual(parseMeasure(' AP '), { family: 'AP' });
  assert.deepEqual(parseMeasure('AP@100'), { family: 'AP', k: 100 });
});

test('the command line offers these names', () => {
  assert.deepEqual(measuresAt([5]).map(measureName), [
    'MRecall@5',
    'Precision@5',
    'P@5',
    'StRecall@5',
    'alpha_nDCG@5',
    'ERR_IA@5',
    'nERR_IA@5',
    'P_IA@5',
    'nDCG@5',
    'AP',
    'RR',
    'R@5',
    'Success@5',
    'Judged@5',
  ]);
});

test('what is not a measure is refused with advice', () => {
  refuses('ndcg@5', /Unknown measure "ndcg@5"; choose from MRecall, /);
  refuses('toString', /Unknown measure/);
  refuses('', /Unknown measure/);
  refuses('nDCG', /needs a cutoff, as in "nDCG@5"/);
  for (const name of ['nDCG@', 'nDCG@0', 'nDCG@-1', 'nDCG@1.5', 'nDCG@ten', 'nDCG@5@6', 'nDCG@1e3'])
    refuses(name, /whole number from 1/);
});
