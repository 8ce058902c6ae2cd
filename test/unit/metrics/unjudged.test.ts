import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OpenFigures } from '../../../src/core/judging/open-figures.ts';
import { coveredPerspectives } from '../../../src/core/metrics/coverage-measures.ts';
import { topicOf } from '../../../src/core/metrics/judgements.ts';
import { computeMeasure, MEASURES, parseMeasure } from '../../../src/core/metrics/measures.ts';
import { boundsOf, openMeans, openPerspectives } from '../../../src/core/metrics/unjudged.ts';

const PASSAGES = ['a', 'b', 'c', 'd', 'e', 'f'];
const PERSPECTIVES = ['pro', 'con', 'other'];

const verdicts = fc.array(
  fc.record({
    perspective: fc.constantFrom(...PERSPECTIVES),
    passage: fc.constantFrom(...PASSAGES),
    supports: fc.boolean(),
  }),
);
const rankings = fc.shuffledSubarray(PASSAGES);

type Verdict = { readonly perspective: string; readonly passage: string; readonly supports: boolean };

function judgementsOf(own: readonly Verdict[]): Map<string, Map<string, number>> {
  const found = new Map(PERSPECTIVES.map((id) => [id, new Map<string, number>()]));
  for (const { perspective, passage, supports } of own)
    found.get(perspective)!.set(passage, supports ? 1 : 0);
  return found;
}

test('MRecall is certain if and only if the open perspectives cannot change it', () => {
  fc.assert(
    fc.property(verdicts, rankings, fc.integer({ min: 1, max: 7 }), (own, ranking, k) => {
      const judgements = judgementsOf(own);
      const top = ranking.slice(0, k);
      const covered = coveredPerspectives(ranking, judgements, k).length;
      const open = openPerspectives(top, judgements, 'open').size;
      const needed = Math.min(k, PERSPECTIVES.length);
      assert.deepEqual(boundsOf({ family: 'MRecall', k }, ranking, judgements, 'open'), {
        low: covered >= needed ? 1 : 0,
        high: covered + open >= needed ? 1 : 0,
      });
    }),
  );
});

test('open perspectives list the passages that may cover them if unjudged pairs are open', () => {
  const judgements = judgementsOf([
    { perspective: 'pro', passage: 'a', supports: true },
    { perspective: 'con', passage: 'a', supports: false },
    ...['a', 'b', 'c'].map((passage) => ({ perspective: 'other', passage, supports: false })),
  ]);
  assert.deepEqual([...openPerspectives(['a', 'b', 'c'], judgements, 'open')], [['con', 2]]);
  for (const basis of ['given', 'pooled'] as const)
    assert.equal(openPerspectives(['a', 'b', 'c'], judgements, basis).size, 0, basis);
});

test('figures during judging have the same bounds as elsewhere', () => {
  fc.assert(
    fc.property(verdicts, rankings, fc.integer({ min: 1, max: 7 }), (own, ranking, k) => {
      const figures = new OpenFigures({ perspectives: PERSPECTIVES, rankings: [ranking], cutoffs: [k] });
      const judgements = judgementsOf(own);
      for (const [perspectiveId, passages] of judgements)
        for (const [passageId, relevance] of passages)
          figures.learn({ passageId, perspectiveId }, relevance > 0);
      const [found] = figures.bounds();
      assert.deepEqual(found, {
        mRecall: boundsOf({ family: 'MRecall', k }, ranking, judgements, 'open'),
        precision: boundsOf({ family: 'Precision', k }, ranking, judgements, 'open'),
      });
    }),
  );
});

test('verdicts stay within the bounds of measures that rise with support', () => {
  const rising = MEASURES.filter(({ risesWithSupport }) => risesWithSupport);
  fc.assert(
    fc.property(verdicts, verdicts, rankings, fc.integer({ min: 1, max: 7 }), (own, later, ranking, k) => {
      const judgements = judgementsOf(own);
      // Existing judgements do not change.
      const all = judgementsOf([...later, ...own]);
      for (const { family } of rising) {
        const measure = parseMeasure(`${family}@${k}`);
        const value = computeMeasure(measure, ranking, topicOf(all, 'open'));
        assert.ok(value <= boundsOf(measure, ranking, judgements, 'open').high + 1e-9, family);
        assert.ok(value >= computeMeasure(measure, ranking, topicOf(judgements, 'open')) - 1e-9, family);
      }
    }),
  );
});

test('known supporting passages below the cutoff stay in the ideal of rank measures', () => {
  const judgements = new Map([['pro', new Map([['f', 1]])]]);
  const measure = parseMeasure('nDCG@1');
  assert.equal(computeMeasure(measure, ['a'], topicOf(judgements, 'open')), 0);
  assert.equal(boundsOf(measure, ['a'], judgements, 'open').high, 1);
  const two = parseMeasure('nDCG@2');
  const known = boundsOf(
    two,
    ['a', 'b'],
    new Map([
      [
        'pro',
        new Map([
          ['b', 0],
          ['f', 1],
        ]),
      ],
    ]),
    'open',
  ).high;
  assert.ok(known < 1, 'the ideal holds two');
});

test('a mean is open if unjudged pairs could raise it by a printed digit', () => {
  const run = new Map([
    ['judged', [{ item: 'a', score: 1 }]],
    ['open', [{ item: 'b', score: 1 }]],
  ]);
  const qrels = new Map([
    ['judged', new Map([['pro', new Map([['a', 0]])]])],
    ['open', new Map([['pro', new Map<string, number>()]])],
  ]);
  const measures = ['MRecall@1', 'nDCG@1'].map(parseMeasure);
  assert.deepEqual(openMeans(run, qrels, measures, 'open'), { 'MRecall@1': { low: 0, high: 0.5 } });
  assert.deepEqual(openMeans(run, qrels, measures, 'given'), {}, 'there nothing unjudged supports');
  qrels.get('open')!.get('pro')!.set('b', 1);
  assert.deepEqual(openMeans(run, qrels, measures, 'open'), {});
});
