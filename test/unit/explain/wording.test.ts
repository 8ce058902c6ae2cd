/** Sentences about an explanation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partTexts } from '../../../src/features/explain/core/wording.ts';

test('the parts of a text are shown where it is cut', () => {
  const long = 'plank '.repeat(100);
  const [first, second] = partTexts([
    { text: `# Shed\n\n${long}The spare key` },
    { text: `of the shed\nhangs ${long}` },
  ]);
  assert.match(first!, /^….{100,160}plank The spare key$/u);
  assert.match(second!, /^of the shed hangs .{100,160}…$/u);
  assert.deepEqual(partTexts([{ text: ' short ' }, { text: 'too' }]), ['short', 'too']);
});
