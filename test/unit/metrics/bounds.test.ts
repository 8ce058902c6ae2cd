import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OpenFigures } from '../../../src/core/judging/open-figures.ts';
import { valueIfAllSupport } from '../../../src/core/metrics/bounds.ts';
import { topicOf } from '../../../src/core/metrics/judgements.ts';
import { computeMeasure, MEASURES, parseMeasure, type Measure } from '../../../src/core/metrics/measures.ts';

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

test('MRecall and Precision lie between the same bounds as while their passages are being judged', () => {
  fc.assert(
    fc.property(verdicts, rankings, fc.integer({ min: 1, max: 7 }), (own, ranking, k) => {
      const figures = new OpenFigures({ perspectives: PERSPECTIVES, rankings: [ranking], cutoffs: [k] });
      const judgements = judgementsOf(own);
      for (const [perspectiveId, passages] of judgements)
        for (const [passageId, relevance] of passages)
          if (ranking.slice(0, k).includes(passageId))
            figures.learn({ passageId, perspectiveId }, relevance > 0);
      const [{ mRecall, precision }] = figures.bounds() as [ReturnType<OpenFigures['bounds']>[number]];
      for (const [family, bounds] of [
        ['MRecall', mRecall],
        ['Precision', precision],
      ] as const) {
        const measure: Measure = { family, k };
        const least = computeMeasure(measure, ranking, topicOf(judgements, 'open'));
        const most = valueIfAllSupport(measure, ranking, judgements, 'open');
        assert.deepEqual({ low: least, high: most }, bounds, family);
      }
    }),
  );
});

test('where more support never lowers a measure, no verdicts bring it out of its bounds', () => {
  const rising = MEASURES.filter(({ risesWithSupport }) => risesWithSupport);
  fc.assert(
    fc.property(verdicts, verdicts, rankings, fc.integer({ min: 1, max: 7 }), (own, later, ranking, k) => {
      const judgements = judgementsOf(own);
      // What is judged already stays as it is.
      const all = judgementsOf([...later, ...own]);
      for (const { family } of rising) {
        const measure = parseMeasure(`${family}@${k}`);
        const value = computeMeasure(measure, ranking, topicOf(all, 'open'));
        assert.ok(value <= valueIfAllSupport(measure, ranking, judgements, 'open') + 1e-9, family);
        assert.ok(value >= computeMeasure(measure, ranking, topicOf(judgements, 'open')) - 1e-9, family);
      }
    }),
  );
});

test('of a measure of ranks, known supporters below the cutoff stay in the ideal', () => {
  const judgements = new Map([['pro', new Map([['f', 1]])]]);
  const measure = parseMeasure('nDCG@1');
  assert.equal(computeMeasure(measure, ['a'], topicOf(judgements, 'open')), 0);
  assert.equal(valueIfAllSupport(measure, ['a'], judgements, 'open'), 1);
  const two = parseMeasure('nDCG@2');
  const known = valueIfAllSupport(
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
  );
  assert.ok(known < 1, 'the ideal holds two');
});
