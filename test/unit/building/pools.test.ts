import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exclusiveGold } from '../../../src/features/building/core/contrast.ts';
import { questionRequests, usualBudget } from '../../../src/features/building/core/effort.ts';
import { labelPool } from '../../../src/features/building/core/label-set.ts';
import { SAME_TEXT, textSimilarity } from '../../../src/core/external/match.ts';
import type { Verdict } from '../../../src/core/model.ts';

const passage = (text: string): { hash: string; text: string } => ({ hash: text, text });
const LONG =
  'the night trams of the old town wake everybody who lives along the narrow streets near the river';

test('takes the top k of each list in turns, common passages once and near-duplicates never', () => {
  const [a, b, c, d] = ['a one', 'b two', 'c three', 'd four'].map(passage);
  const near = passage(`${LONG} bank`);
  const pool = labelPool(
    [
      [a!, passage(LONG), b!],
      [a!, near, c!, d!],
    ],
    3,
  );
  assert.deepEqual(
    pool.passages.map(({ text }) => text),
    ['a one', LONG, 'b two', 'c three'],
  );
  assert.equal(pool.duplicates, 1);
});

test('no two passages of a pool are nearly equal, and every passage is counted', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 3, maxLength: 8 })
    .map((w) => w.join(' '));
  const list = fc.array(text.map(passage), { maxLength: 6 });
  fc.assert(
    fc.property(list, list, fc.integer({ min: 1, max: 6 }), (first, second, k) => {
      const { passages, duplicates } = labelPool([first, second], k);
      const top = new Set([...first.slice(0, k), ...second.slice(0, k)].map(({ hash }) => hash));
      assert.equal(passages.length + duplicates, top.size);
      for (const [place, one] of passages.entries())
        for (const other of passages.slice(place + 1))
          assert.ok(textSimilarity(one.text, other.text) < SAME_TEXT);
    }),
  );
});

test('gold supports exactly one perspective, for certain', () => {
  assert.deepEqual(
    exclusiveGold([
      ['yes', 'no', 'no'],
      ['yes', 'yes', 'no'],
      ['no', 'yes', 'unsure'],
      ['no', undefined, 'yes'],
      ['no', 'no', 'no'],
      ['no', 'no', 'yes'],
    ]),
    [
      { passage: 0, perspective: 0 },
      { passage: 5, perspective: 2 },
    ],
  );
  assert.deepEqual(
    exclusiveGold([
      ['yes', 'no'],
      ['yes', 'no'],
      ['yes', 'unsure'],
    ]),
    [],
  );
  assert.deepEqual(exclusiveGold([]), []);
});

test('gold is mutually exclusive, with two perspectives or none', () => {
  const verdict = fc.constantFrom<Verdict | undefined>('yes', 'no', 'unsure', undefined);
  const matrix = fc
    .integer({ min: 1, max: 4 })
    .chain((m) => fc.array(fc.array(verdict, { minLength: m, maxLength: m }), { maxLength: 6 }));
  fc.assert(
    fc.property(matrix, (verdicts) => {
      const gold = exclusiveGold(verdicts);
      for (const { passage, perspective } of gold)
        assert.ok(verdicts[passage]!.every((said, p) => said === (p === perspective ? 'yes' : 'no')));
      assert.notEqual(new Set(gold.map(({ perspective }) => perspective)).size, 1);
    }),
  );
});

test('estimates the requests', () => {
  assert.deepEqual(questionRequests(10, 'negation', false), { least: 10, most: 10 });
  assert.deepEqual(questionRequests(10, 'negation', true), { least: 10, most: 20 });
  assert.deepEqual(questionRequests(10, 'stances', true), { least: 10, most: 30 });
  assert.deepEqual(questionRequests(10, 'stances', false), { least: 20, most: 20 });
  assert.equal(usualBudget(5), 50);
});
