/** Statements that begin alike, where there is room for a few of their words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellingTexts } from '../../../webview/inspector/perspectives/telling.ts';

test('statements that begin alike are cut to where they differ, others are left as they are', () => {
  assert.deepEqual(
    tellingTexts([
      'Swift allows implicit conversions between integers.',
      'Swift allows implicit conversions between optionals.',
      'Swift warns of them.',
    ]),
    ['… integers.', '… optionals.', 'Swift warns of them.'],
  );
});

test('a short beginning is kept, and so is the last word of a statement that another goes on from', () => {
  assert.deepEqual(tellingTexts(['It is fast.', 'It is slow.']), ['It is fast.', 'It is slow.']);
  assert.deepEqual(tellingTexts(['Schools should start later', 'Schools should start later in winter']), [
    '… later',
    '… in winter',
  ]);
  assert.deepEqual(tellingTexts(['', 'one']), ['', 'one']);
  assert.deepEqual(tellingTexts(['exactly the very same statement', 'exactly the very same statement']), [
    '… statement',
    '… statement',
  ]);
});
