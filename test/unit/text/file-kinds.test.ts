import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  extensionOf,
  holdsProse,
  isCode,
  isMarkdown,
  kindOfFile,
} from '../../../src/core/text/file-kinds.ts';

test('the name of a file tells documents from programs', () => {
  for (const file of [
    'docs/a.md',
    'a.rst',
    'paper.pdf',
    'records.jsonl',
    'data.json',
    'LICENSE',
    'a.HTML',
    'requirements of the tender.txt',
  ])
    assert.equal(kindOfFile(file), 'prose', file);
  for (const file of [
    'app/a.py',
    'C:\\w\\a.ts',
    'package.json',
    'tsconfig.build.json',
    '.eslintrc.json',
    'a.yaml',
    'app/Makefile',
    'Dockerfile',
    'service/requirements-dev.txt',
    'CMakeLists.txt',
  ])
    assert.equal(kindOfFile(file), 'code', file);
});

test('a folder has prose if it has documents besides those of every program', () => {
  const code = Array.from({ length: 40 }, (_, n) => `src/${n}.ts`);
  assert.equal(holdsProse([...code, 'README.md', 'LICENSE', 'CHANGELOG.md']), false);
  assert.equal(holdsProse([...code, 'docs/a.md', 'docs/b.md']), false);
  assert.equal(holdsProse([...code, 'docs/a.md', 'docs/b.md', 'docs/c.md']), true);
  assert.equal(holdsProse(['app.py', 'note.md']), true);
  assert.equal(holdsProse([]), false);
});

test('the extension gives the language of a file', () => {
  assert.deepEqual(['a.md/b.ts', 'a.YAML', 'a.ts/b.md', 'ts'].map(isCode), [true, true, false, false]);
  assert.deepEqual(['docs/a.MDX', 'a.md.txt', '.md'].map(isMarkdown), [true, false, false]);
  assert.deepEqual(['a.b.MD', 'Makefile', '.gitignore'].map(extensionOf), ['md', '', '']);
});
