import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withChoice } from '../../../src/extension/inspector/corpus-choice.ts';

const JSON_TEXT = '{\n  "version": 2,\n  // mine\n  "corpora": {\n    "docs": { "roots": ["."] }\n  }\n}\n';

test('what was ticked is written beside what is there, comments and all', () => {
  const text = withChoice(
    JSON_TEXT,
    'docs',
    { exclude: ['old/**'] },
    { leaveOut: ['a[1]', 'old'], code: false },
  );
  assert.match(text, /\/\/ mine/u);
  assert.deepEqual(JSON.parse(text.replace('// mine', '')), {
    version: 2,
    corpora: { docs: { roots: ['.'], exclude: ['old/**', 'a?1?/**'], code: false } },
  });
  const only = withChoice(JSON_TEXT, 'docs', { exclude: [] }, { leaveOut: [], code: true });
  assert.ok(!only.includes('exclude') && only.includes('"code": true'));
});
