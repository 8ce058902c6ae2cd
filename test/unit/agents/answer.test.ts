import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { excerptOf, fitted, MAX_CHARACTERS, short } from '../../../src/features/agents/tools/answer.ts';

test('shortens any text to one line with a maximum length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 80 }), (text, most) => {
      const line = short(text, most);
      assert.ok(line.length <= most);
      assert.doesNotMatch(line, /[\p{Cc}\u200b\u202e]/u);
      assert.ok(!/[\uD800-\uDBFF]…$/u.test(line));
    }),
  );
});

test('an excerpt starts at the evidence and marks omitted text before it', () => {
  const text = 'Long before.\n\nNight trams\tbring workers home. And more.';
  assert.equal(excerptOf(text, [{ start: 14, end: 46 }], 200), '…Night trams bring workers home. And more.');
  assert.equal(excerptOf(text, [], 12), 'Long before…'.slice(0, 11) + '…');
});

test('uses the first form of an answer that is short enough, else the last', () => {
  const write = (length: number): string => 'x'.repeat(length);
  assert.equal(fitted([MAX_CHARACTERS, 100, 10], write).length, 102);
  assert.equal(fitted([MAX_CHARACTERS * 2, MAX_CHARACTERS + 1], write).length, MAX_CHARACTERS + 3);
});
