/** Perspectives that a model proposed earlier, as BERDS stores them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProposedPerspectives } from '../../../src/core/formats/proposed-perspectives.ts';

test('reads perspectives by question, as texts or records; reports bad lines', () => {
  const { byQuestion, warnings } = parseProposedPerspectives(
    [
      '{"question": " Why? ", "generated": ["So.", {"text": "Not so.", "model": "m"}]}',
      '{"question": "How?", "generated": []}',
      '{"question": "How?"',
    ].join('\n'),
  );
  assert.deepEqual([...byQuestion], [['Why?', ['So.', 'Not so.']]]);
  assert.match(warnings[0]!, /^Line 2: generated: /u);
  assert.match(warnings[1]!, /^Line 3: not JSON /u);
  assert.equal(warnings.length, 2);
});
