/** Short forms of statements that begin alike. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellingTexts } from '../../../webview/inspector/perspectives/telling.ts';

test('cuts statements with a common beginning to where they differ', () => {
  assert.deepEqual(
    tellingTexts([
      'Swift allows implicit conversions between integers.',
      'Swift allows implicit conversions between optionals.',
      'Swift warns of them.',
    ]),
    ['… integers.', '… optionals.', 'Swift warns of them.'],
  );
});

test('keeps a short beginning, and the last word of a statement that is a prefix of another', () => {
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
