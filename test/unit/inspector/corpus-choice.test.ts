import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withChoice } from '../../../src/features/inspector/host/corpus-choice.ts';

const JSON_TEXT = '{\n  "version": 2,\n  // mine\n  "corpora": {\n    "docs": { "roots": ["."] }\n  }\n}\n';

const parsed = (text: string): unknown => JSON.parse(text.replace('// mine', ''));

test('selected folders become the roots, and comments are kept', () => {
  const text = withChoice(
    JSON_TEXT,
    'docs',
    { roots: ['.'], exclude: [] },
    { folders: ['a[1]', 'guides', ''], code: false },
  );
  assert.match(text, /\/\/ mine/u);
  assert.deepEqual(parsed(text), {
    version: 2,
    corpora: { docs: { roots: ['a[1]', 'guides', './*'], code: false } },
  });
});

test('folders of another root keep its path', () => {
  const text = withChoice(
    JSON_TEXT,
    'docs',
    { roots: ['site'], exclude: [] },
    { folders: ['en', ''], code: true },
  );
  assert.deepEqual(parsed(text), {
    version: 2,
    corpora: { docs: { roots: ['site/en', 'site/*'], code: true } },
  });
});

test('patterns become relative to the selected folders', () => {
  const exclude = ['guides/old/**', 'notes/**', '**/drafts/**', '*.tmp'];
  const text = withChoice(JSON_TEXT, 'docs', { roots: ['.'], exclude }, { folders: ['guides'], code: true });
  assert.deepEqual(parsed(text), {
    version: 2,
    corpora: { docs: { roots: ['guides'], exclude: ['old/**', '**/drafts/**', '*.tmp'], code: true } },
  });
});
