import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  answerAlignment,
  answerDifference,
  answerEstimate,
  answerSuccess,
  normalisedPoints,
  pipelineCorrelations,
  representedShare,
  type JudgedAnswer,
  type JudgedAnswers,
} from '../../../src/features/papers/core/answers/answer-figures.ts';
import { goldPassages } from '../../../src/features/papers/core/answers/gold.ts';
import type { Verdict } from '../../../src/core/model.ts';

/** One letter for each perspective: `y`, `n` or `u`. */
const verdicts = (letters: string): Verdict[] =>
  [...letters].map((letter) => ({ y: 'yes', n: 'no', u: 'unsure' } as const)[letter as 'y' | 'n' | 'u']);
const judged = (letters: string): JudgedAnswer => ({ verdicts: verdicts(letters) });
const answers = (all: Readonly<Record<string, string>>): JudgedAnswers =>
  new Map(Object.entries(all).map(([query, letters]) => [query, judged(letters)]));

describe('one answer', () => {
  test('succeeds with every perspective; one "no" is decisive despite unsure ones', () => {
    assert.deepEqual(
      ['yy', 'yn', 'nu', 'yu', 'uu', 'y'].map((letters) => answerSuccess(judged(letters))),
      [true, false, false, undefined, undefined, true],
    );
  });

  test('a gold answer decides whatever else is represented, and the share is kept', () => {
    assert.deepEqual(
      (['yes', 'no', 'unsure'] as const).map((right) => answerSuccess({ verdicts: verdicts('yn'), right })),
      [true, false, undefined],
    );
    assert.equal(answerSuccess({ verdicts: verdicts('uu'), right: 'yes' as const }), true);
    const all = new Map([['a', { verdicts: verdicts('ny'), right: 'yes' as const }]]);
    assert.equal(answerEstimate(all, 'success')!.value, 1);
    assert.equal(answerEstimate(all, 'share')!.value, 0.5);
  });

  test('has a share only if every verdict is known', () => {
    assert.deepEqual(
      ['yy', 'yn', 'ynnn', 'nu', 'yu', ''].map((letters) => representedShare(judged(letters))),
      [1, 0.5, 0.25, undefined, undefined, undefined],
    );
  });
});

describe('estimates', () => {
  test('by hand, without undecided answers', () => {
    const all = answers({ a: 'yy', b: 'yn', c: 'yu', d: 'nu' });
    const success = answerEstimate(all, 'success')!;
    assert.deepEqual([success.value, success.queries], [1 / 3, 3]);
    assert.ok(success.low === 0 && success.high === 1);
    const share = answerEstimate(all, 'share')!;
    assert.deepEqual([share.value, share.queries], [0.75, 2]);
    assert.equal(answerEstimate(answers({ a: 'u' }), 'success'), undefined);
    assert.equal(answerEstimate(new Map(), 'share'), undefined);
  });

  test('the interval includes the mean, is reproducible, and is narrow with many answers', () => {
    const many = answers(
      Object.fromEntries(Array.from({ length: 400 }, (_, i) => [i, i % 4 === 0 ? 'y' : 'n'])),
    );
    const estimate = answerEstimate(many, 'success')!;
    assert.equal(estimate.value, 0.25);
    assert.ok(estimate.low < 0.25 && estimate.high > 0.25 && estimate.high - estimate.low < 0.1);
    assert.deepEqual(answerEstimate(many, 'success'), estimate);
  });

  test('differences are over the queries that both decided', () => {
    const none = answers({ a: 'nn', b: 'yy', c: 'yu', d: 'yn' });
    const own = answers({ a: 'yy', b: 'yy', c: 'yy', e: 'nn', d: 'yu' });
    const difference = answerDifference(none, own, 'success')!;
    assert.deepEqual([difference.value, difference.queries], [0.5, 2]);
    assert.equal(answerDifference(none, answers({ e: 'y' }), 'success'), undefined);
    assert.equal(answerDifference(own, none, 'share')!.value, -0.5);
  });
});

describe('alignment', () => {
  const retrieval = new Map(
    Object.entries({ a: [1, 0.8, 1], b: [0, 0.2, 1], c: [1, 0.6, 0], d: [0, 0.4, 0] }).map(
      ([query, [mrecall, graded, hit]]) => [
        query,
        { 'MRecall@5': mrecall!, 'nDCG@5': graded!, 'Success@5': hit! },
      ],
    ),
  );
  const MEASURES = { mrecall: 'MRecall@5', hit: 'Success@5', graded: ['nDCG@5'] };

  test('agreement of retrieval and answer, and the graded form if it is defined', () => {
    const found = answerAlignment(answers({ a: 'yy', b: 'yn', c: 'nn', d: 'yu' }), retrieval, MEASURES)!;
    assert.equal(found.queries, 3);
    assert.equal(found.ragAlign, 2 / 3);
    assert.ok(found.graded['nDCG@5']! > 0.7 && found.graded['nDCG@5']! < 1);
    const all = answerAlignment(answers({ a: 'y', c: 'y' }), retrieval, MEASURES)!;
    assert.deepEqual(all, { queries: 2, ragAlign: 1, hit: 0.5, graded: {} });
  });

  test('a chosen measure succeeds from its threshold on', () => {
    const all = answers({ a: 'yy', b: 'yn', c: 'nn', d: 'yy' });
    const by = (least: number) =>
      answerAlignment(all, retrieval, { ...MEASURES, chosen: { measure: 'nDCG@5', least } })!.chosen;
    // Values 0.8, 0.2, 0.6 and 0.4; answers to a and d succeed.
    assert.deepEqual([0.4, 0.61, 0.9].map(by), [0.75, 0.75, 0.5]);
    assert.equal(answerAlignment(all, retrieval, MEASURES)!.chosen, undefined);
  });

  test('is undefined without decided answers', () => {
    assert.equal(answerAlignment(answers({ a: 'u' }), retrieval, MEASURES), undefined);
  });
});

describe('over pipelines', () => {
  const point = (name: string, mrecall: number, success?: number) => ({
    name,
    retrieval: { 'MRecall@5': mrecall, flat: 1 },
    success,
    share: success,
  });

  test('correlation needs three pipelines and variance', () => {
    const points = [point('a', 0.1, 0.2), point('b', 0.2, 0.4), point('c', 0.3, 0.6), point('failed', 0.9)];
    const [mrecall, flat] = pipelineCorrelations(points, ['MRecall@5', 'flat']);
    assert.ok(Math.abs(mrecall!.success! - 1) < 1e-12 && mrecall!.pipelines === 3);
    assert.equal(flat!.success, undefined);
    const falling = points.map((each, place) => ({ ...each, share: each.success && 1 - place / 10 }));
    const [own] = pipelineCorrelations(falling, ['MRecall@5']);
    assert.ok(Math.abs(own!.share! + 1) < 1e-12 && Math.abs(own!.success! - 1) < 1e-12);
    const without = (which: 'success' | 'share') => [
      ...points.slice(0, 2),
      { ...points[2]!, [which]: undefined },
    ];
    for (const which of ['success', 'share'] as const)
      assert.deepEqual(pipelineCorrelations(without(which), ['MRecall@5']), [], `without ${which}`);
    assert.deepEqual(pipelineCorrelations(points.slice(1), ['MRecall@5']), []);
  });

  test('scaled to the range of the pipelines, in ascending order of retrieval', () => {
    const points = [point('b', 0.75, 0.25), point('a', 0.25, 0.25), point('c', 0.5, 0.75)];
    assert.deepEqual(normalisedPoints(points, 'MRecall@5'), [
      { name: 'a', retrieval: 0, answers: 0 },
      { name: 'c', retrieval: 0.5, answers: 1 },
      { name: 'b', retrieval: 1, answers: 0 },
    ]);
    assert.equal(normalisedPoints(points, 'flat')[0]!.retrieval, undefined);
    assert.deepEqual(normalisedPoints([], 'flat'), []);
    assert.equal(normalisedPoints([...points, point('failed', 0.9)], 'MRecall@5').length, 3);
  });
});

describe('gold passages', () => {
  test('a passage for each perspective in turns', () => {
    assert.deepEqual(goldPassages([['a', 'b', 'c'], ['x']], 3), ['a', 'x', 'b']);
    assert.deepEqual(goldPassages([['a'], ['a', 'y']], 5), ['a', 'y']);
    assert.deepEqual(goldPassages([[], []], 5), []);
    assert.deepEqual(goldPassages([], 5), []);
  });

  test('cover as many perspectives as k allows (property)', () => {
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 4 }), fc.integer({ min: 1, max: 6 }), (supporting, k) => {
        const gold = goldPassages(supporting, k);
        assert.ok(gold.length <= k && new Set(gold).size === gold.length);
        const coverable = supporting.filter((own) => own.length > 0);
        const covered = coverable.filter((own) => own.some((id) => gold.includes(id)));
        assert.ok(covered.length >= Math.min(k, coverable.length));
      }),
    );
  });
});
