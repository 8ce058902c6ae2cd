import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { meansEntailment, softmaxAt, windowsWithin } from '../../../src/core/judging/nli.ts';

const sentences = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 30 });
const room = fc.integer({ min: 1, max: 30 });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

test('windows contain every sentence in order, fit the limit, and each adds text', () => {
  fc.assert(
    fc.property(sentences, room, (tokens, limit) => {
      const windows = windowsWithin(tokens, limit);
      assert.equal(windows[0]!.first, 0);
      assert.equal(windows.at(-1)!.end, tokens.length);
      windows.forEach(({ first, end }, i) => {
        const inside = tokens.slice(first, end);
        assert.ok(inside.length === 1 || sum(inside) <= limit, 'a window does not fit');
        const before = windows[i - 1];
        if (!before) return;
        assert.ok(end > before.end && first <= before.end && first > before.first);
        assert.ok(before.end - first <= 1, 'more than one sentence is shared');
      });
    }),
  );
});

test('windows are as long as possible and overlap by a sentence if there is room', () => {
  assert.deepEqual(windowsWithin([3, 3, 3, 3], 12), [{ first: 0, end: 4 }]);
  assert.deepEqual(windowsWithin([3, 3, 3, 3], 9), [
    { first: 0, end: 3 },
    { first: 2, end: 4 },
  ]);
  assert.deepEqual(windowsWithin([3, 9, 3], 9), [
    { first: 0, end: 1 },
    { first: 1, end: 2 },
    { first: 2, end: 3 },
  ]);
  assert.deepEqual(windowsWithin([4, 5, 4], 9), [
    { first: 0, end: 2 },
    { first: 1, end: 3 },
  ]);
  assert.deepEqual(windowsWithin([100], 9), [{ first: 0, end: 1 }]);
});

test('softmax at one class, without overflow', () => {
  assert.equal(softmaxAt([0, 0], 1), 0.5);
  assert.ok(Math.abs(softmaxAt([1, 2, 3], 2) - Math.exp(3) / (Math.E + Math.exp(2) + Math.exp(3))) < 1e-12);
  assert.equal(softmaxAt(Float32Array.of(-1000, 1000, 0), 1), 1);
});

test('recognises classes of entailment and of its negation', () => {
  for (const name of ['entailment', 'ENTAILMENT', 'Entailed', 'LABEL_entail'])
    assert.ok(meansEntailment(name), name);
  for (const name of [
    'contradiction',
    'neutral',
    'not_entailment',
    'not entailment',
    'NOT_ENTAILMENT',
    'non-entailment',
    'no entailment',
    'nonentailment',
    'label: not - entailment',
    'LABEL_1',
  ])
    assert.ok(!meansEntailment(name), name);
});
