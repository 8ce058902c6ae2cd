/** Where a long name is cut so that its end stays visible. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parted } from '../../../webview/components/cut.ts';

test('keeps the end of a name, starting at a slash if one is near', () => {
  assert.deepEqual(parted('notes.md'), ['', 'notes.md']);
  assert.deepEqual(parted('docs/guide/errors.md'), ['docs/guide', '/errors.md']);
  assert.deepEqual(parted('0560-integer-overflow-in-arithmetic.md'), [
    '0560-integer-overflow-',
    'in-arithmetic.md',
  ]);
  assert.deepEqual(parted('Words and meaning'), ['', 'Words and meaning'], 'a letter alone is no beginning');
  assert.deepEqual(parted('gpt-4o-mini-2024-07-18-large'), ['gpt-4o-mini-', '2024-07-18-large']);
});

test('cuts no character in two', () => {
  const [start, end] = parted('𝒳'.repeat(20));
  assert.equal(start + end, '𝒳'.repeat(20));
  assert.ok((start + end).isWellFormed() && start.isWellFormed());
});
