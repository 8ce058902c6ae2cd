import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { BASES, topicOf } from '../../../src/core/metrics/judgements.ts';
import {
  definitionNamed,
  familiesShown,
  isComparableFigure,
  isKnownFigure,
  measureName,
  MEASURES,
  measuresAt,
  namesShown,
  parseMeasure,
} from '../../../src/core/metrics/measures.ts';
import { cutoffs, rankings, topics } from './arbitraries.ts';

const refuses = (name: string, sentence: RegExp) =>
  assert.throws(
    () => parseMeasure(name),
    (error) => ParallaxError.is(error, 'bad-argument') && sentence.test(error.message),
    name,
  );

test('names are formatted as they are parsed', () => {
  for (const measure of measuresAt([1, 5, 10])) assert.deepEqual(parseMeasure(measureName(measure)), measure);
  assert.deepEqual(parseMeasure('alpha_nDCG@10'), { family: 'alpha_nDCG', k: 10 });
  assert.deepEqual(parseMeasure(' AP '), { family: 'AP' });
  assert.deepEqual(parseMeasure('AP@100'), { family: 'AP', k: 100 });
});

test('measures of fields take a name in brackets, others take none', () => {
  const measure = { family: 'Values', field: 'start date', k: 5 } as const;
  assert.deepEqual(parseMeasure('Values( Start Date )@5'), measure);
  assert.equal(measureName(measure), 'Values(start date)@5');
  refuses('Values@5', /needs a field.*"Values\(author\)@5"/u);
  refuses('Values()@5', /needs a field/u);
  refuses('Values(author)', /needs a cutoff, as in "Values\(author\)@5"/u);
  refuses('Values(a)(b)@5', /Unknown measure/u);
  refuses('MRecall(author)@5', /nothing in brackets/u);
});

test('the command line offers all names', () => {
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
    'Documents@5',
    'Folders@5',
    'Unrepeated@5',
    'nVendi@5',
    'ILD@5',
    'Themes@5',
  ]);
});

test('refuses what is not a measure, with advice', () => {
  refuses('ndcg@5', /Unknown measure "ndcg@5"; choose from MRecall, /);
  refuses('toString', /Unknown measure/);
  refuses('', /Unknown measure/);
  refuses('nDCG', /needs a cutoff, as in "nDCG@5"/);
  for (const name of ['nDCG@', 'nDCG@0', 'nDCG@-1', 'nDCG@1.5', 'nDCG@ten', 'nDCG@5@6', 'nDCG@1e3'])
    refuses(name, /whole number from 1/);
});

test('each place shows its fixed set of measures', () => {
  const figures = ['MRecall', 'Precision', 'StRecall', 'alpha_nDCG', 'nDCG'];
  assert.deepEqual(familiesShown('reports'), [...figures, 'Judged']);
  const likeness = ['Documents', 'Folders', 'Unrepeated', 'nVendi', 'ILD', 'Themes'];
  assert.deepEqual(familiesShown('comparisons'), [...figures, ...likeness]);
  assert.deepEqual(familiesShown('answers'), figures);
  assert.deepEqual(familiesShown('beside-calls'), figures);
  assert.deepEqual(familiesShown('agents'), figures.slice(0, 3));
  assert.deepEqual(namesShown('differences', 3), ['MRecall@3', 'Precision@3']);
});

test('compares only measures with a better direction and measures of likeness', () => {
  for (const { family, better, needs, shown } of MEASURES)
    if (better === 'neither' && needs !== 'passages')
      assert.deepEqual(
        shown.filter((place) => place !== 'reports'),
        [],
        family,
      );
});

test('values stay within the range of their measure, and each measure has an explanation', () => {
  for (const { family, explain } of MEASURES) assert.match(explain(), /^[A-Z].*\.$/u, family);
  fc.assert(
    fc.property(rankings, topics, cutoffs, (ranking, judgements, k) => {
      for (const {
        family,
        range: [least, most],
        compute,
      } of MEASURES) {
        for (const basis of BASES) {
          const value = compute(ranking, topicOf(judgements, basis), k);
          assert.ok(value >= least && value <= most + 1e-12, `${family}@${k} (${basis}) is ${value}`);
        }
      }
    }),
  );
});

test('finds the definition of a measure by name, with or without a cutoff', () => {
  assert.equal(definitionNamed('alpha_nDCG@5')?.short, 'α-nDCG');
  assert.equal(definitionNamed('Precision')?.family, 'Precision');
  assert.equal(definitionNamed('Recall@5'), undefined);
});

test('no other file lists the measures', () => {
  const listing = ['src', 'webview']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name))),
    )
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /'(alpha_nDCG|nDCG|StRecall)'/u.test(readFileSync(file, 'utf8')));
  assert.deepEqual(listing.sort(), [
    // The measures of a growing pool.
    path.join('src', 'core', 'analysis', 'pooling.ts'),
    path.join('src', 'core', 'metrics', 'diversity-measures.ts'),
    path.join('src', 'core', 'metrics', 'relevance-measures.ts'),
    // The measures whose expectation a ranking can maximise.
    path.join('src', 'core', 'rerank', 'expected-aims.ts'),
  ]);
});

test('unjudged figures are unknown; mostly unjudged figures have no difference', () => {
  const judged = (share: number) => ({
    'MRecall@5': 0.2,
    'Documents@5': 0.6,
    'Judged@5': share,
    'Judged@10': 1,
  });
  assert.equal(isKnownFigure(judged(0), 'MRecall@5'), false);
  assert.equal(isKnownFigure(judged(0.1), 'MRecall@5'), true);
  assert.equal(isKnownFigure(judged(0), 'MRecall@10'), true, 'another cutoff');
  for (const name of ['Documents@5', 'Judged@5']) assert.equal(isKnownFigure(judged(0), name), true, name);
  assert.equal(isComparableFigure(judged(0.5), 'MRecall@5'), true);
  assert.equal(isComparableFigure(judged(0.49), 'MRecall@5'), false);
  assert.equal(isComparableFigure(judged(0), 'Documents@5'), true);
  assert.equal(isComparableFigure({ 'MRecall@5': 1 }, 'MRecall@5'), true, 'not measured');
});
