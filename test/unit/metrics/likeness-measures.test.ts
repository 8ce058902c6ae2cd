import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RankedLikeness } from '../../../src/core/likeness/ranked-likeness.ts';
import { holmCorrected, measureDifferences } from '../../../src/core/metrics/differences.ts';
import { evaluateRun } from '../../../src/core/metrics/evaluate.ts';
import { parseMeasure } from '../../../src/core/metrics/measures.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';

const NAMES = ['Documents', 'Folders', 'Unrepeated', 'nVendi', 'ILD', 'Themes'];
const at = (k: number) => NAMES.map((name) => parseMeasure(`${name}@${k}`));
const QRELS: Qrels = new Map([['q', new Map([['p', new Map([['a', 1]])]])]]);
const RUN: Run = new Map([['q', ['a', 'b', 'c', 'd'].map((item, place) => ({ item, score: -place }))]]);

/** The first two are equal, the third is unlike them, the fourth is half like the third. */
const LIKENESS: RankedLikeness = {
  documents: ['x', 'x', 'y', 'z'],
  folders: ['f', 'f', 'f', 'g'],
  fields: new Map([['author', ['Kim', undefined, 'Kim', 'Lee']]]),
  repeats: [false, true, false, false],
  cosines: Float64Array.from([1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0.5, 0, 0, 0.5, 1]),
  themes: [1, 1, undefined, 0],
  larger: 4,
};

const scores = (likeness: RankedLikeness | undefined, k: number, vectors = 'hashing') =>
  evaluateRun(RUN, QRELS, [...at(k), parseMeasure('MRecall@1')], {
    kind: 'diversity',
    likeness: { vectors, rankings: new Map(likeness ? [['q', likeness]] : []) },
  });

const rounded = (mean: Readonly<Record<string, number>>): number[] =>
  Object.values(mean).map((value) => Math.round(value * 1e6) / 1e6);

test('measures of the top k match values computed by hand', () => {
  // All four: eigenvalues of K/4 are 1/2, 3/8 and 1/8.
  const vendi = Math.exp(0.5 * Math.log(2) + 0.375 * Math.log(8 / 3) + 0.125 * Math.log(8));
  const expected = [0.75, 0.5, 0.75, vendi / 4, 1 - 1.5 / 6, 0.5, 1];
  assert.deepEqual(
    rounded(scores(LIKENESS, 4).mean),
    expected.map((value) => Math.round(value * 1e6) / 1e6),
  );
  assert.deepEqual(rounded(scores(LIKENESS, 2).mean), [0.5, 0.5, 0.5, 0.5, 0, 0.25, 1]);
  assert.deepEqual(rounded(scores(LIKENESS, 1).mean), [1, 1, 1, 1, 0, 0.25, 1]);
  assert.deepEqual(rounded(scores(LIKENESS, 9).mean), rounded(scores(LIKENESS, 4).mean), 'fewer than k');
});

test('no results score 0, and so do themes of candidates without themes', () => {
  assert.deepEqual(rounded(scores(undefined, 4).mean), [0, 0, 0, 0, 0, 0, 1]);
  assert.equal(scores({ ...LIKENESS, larger: 0, themes: [] }, 4).mean['Themes@4'], 0);
});

test('values of a field are a share of the passages; a document without the field adds none', () => {
  const measures = [1, 2, 4, 9].map((k) => parseMeasure(`Values(author)@${k}`));
  const options = { likeness: { vectors: 'hashing', rankings: new Map([['q', LIKENESS]]) } };
  assert.deepEqual(evaluateRun(RUN, QRELS, measures, options).mean, {
    'Values(author)@1': 1,
    'Values(author)@2': 0.5,
    'Values(author)@4': 0.5,
    'Values(author)@9': 0.5,
  });
  assert.deepEqual(evaluateRun(RUN, QRELS, [parseMeasure('Values(date)@4')], options).mean, {
    'Values(date)@4': 0,
  });
});

test('likeness measures are missing without the passages', () => {
  const { mean } = evaluateRun(RUN, QRELS, [...at(3), parseMeasure('MRecall@1')], { kind: 'diversity' });
  assert.deepEqual(mean, { 'MRecall@1': 1 });
});

test('figures from vectors of different embedders are not compared', () => {
  const [first, same, other] = ['hashing', 'hashing', 'minilm'].map((vectors) =>
    scores(LIKENESS, 4, vectors),
  );
  const [within, across] = [measureDifferences(first!, same!), measureDifferences(first!, other!)];
  assert.deepEqual(Object.keys(within).length, 7);
  assert.deepEqual(Object.keys(across), ['Documents@4', 'Folders@4', 'Unrepeated@4', 'MRecall@1']);
  const corrected = holmCorrected([within, across]);
  assert.deepEqual(
    corrected.map((found) => Object.keys(found).length),
    [7, 4],
  );
});
