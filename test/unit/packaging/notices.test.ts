/** The licences of what ships: copied, assembled if a package has no text, and never omitted. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { notices } from '../../../scripts/lib/notices.mjs';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const TERMS = 'Permission is hereby granted, free of charge, to whom it may concern.';

interface Package {
  readonly license: string;
  readonly author?: string;
  readonly text?: string;
}

/** A folder with these packages in its node_modules. */
function rootWith(t: TestContext, packages: Readonly<Record<string, Package>>): string {
  const root = temporaryFolder(t);
  for (const [name, { text, ...manifest }] of Object.entries(packages)) {
    const folder = join(root, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }));
    if (text !== undefined) writeFileSync(join(folder, 'LICENSE.md'), text);
  }
  return root;
}

const WITH_TEXT = { license: 'MIT', text: `Copyright (c) Ada\n\n${TERMS}` };

test('lists each package once with its own text', (t) => {
  const root = rootWith(t, { '@a/b': WITH_TEXT, c: { license: 'X-1', text: 'Do as you like.' } });
  const inputs = ['src/main.ts', 'node_modules/@a/b/index.js', 'node_modules/@a/b/more.js'];
  const text = notices(inputs, ['c'], root);
  assert.equal(text.match(/@a\/b 1\.0\.0 \(MIT\)/gu)?.length, 1);
  assert.match(text, /Copyright \(c\) Ada/u);
  assert.match(text, /c 1\.0\.0 \(X-1\)\n\nDo as you like\./u);
});

test('a package without a text has the terms of its licence and its copyright holder', (t) => {
  const root = rootWith(t, { a: WITH_TEXT, b: { license: 'MIT', author: 'Bo' } });
  assert.match(
    notices(['node_modules/b/index.js', 'node_modules/a/index.js'], [], root),
    new RegExp(`b 1\\.0\\.0 \\(MIT\\)\n\nCopyright \\(c\\) Bo\n\n${TERMS}`, 'u'),
  );
});

test('refuses packages without a licence or copyright holder', (t) => {
  const root = rootWith(t, { a: WITH_TEXT, b: { license: 'MIT' }, c: { license: '', author: 'Cy' } });
  const inputs = ['a', 'b', 'c'].map((name) => `node_modules/${name}/index.js`);
  assert.throws(() => notices(inputs, [], root), /must not ship without a licence: b, c\./u);
});

test('refuses a missing package', (t) => {
  const root = rootWith(t, { a: WITH_TEXT });
  assert.throws(
    () => notices(['node_modules/a/index.js', 'node_modules/a/node_modules/d/index.js'], ['@e/f'], root),
    /must not ship without a licence: d, @e\/f\./u,
  );
});

test("other people's work within a package has its own place", (t) => {
  const root = rootWith(t, { '@vscode/tree-sitter-wasm': WITH_TEXT });
  const text = notices([], ['@vscode/tree-sitter-wasm'], root);
  for (const name of ['tree-sitter', 'tree-sitter-python', 'tree-sitter-typescript'])
    assert.ok(text.includes(`\n${name} (MIT)\n\nCopyright (c) Max Brunsfeld\n\n${TERMS}`), name);
});
