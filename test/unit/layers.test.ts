/** The folder says what code may import, and lint enforces it: each rule is seen to fire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ESLint } from 'eslint';

const eslint = new ESLint({
  // These files exist only here, so there is no type information for them.
  overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: ({ ruleId }) => /^no-restricted/u.test(ruleId),
});

async function complaints(filePath: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath });
  return result?.messages.flatMap(({ ruleId }) => ruleId ?? []) ?? [];
}

for (const [what, file, code] of [
  ['src/core importing Node', 'src/core/x.ts', "import 'node:fs';"],
  ['src/core importing the engine', 'src/core/x.ts', "import '../engine/engine.ts';"],
  ['src/core reading the clock', 'src/core/x.ts', 'export const now = Date.now();'],
  ['src/core drawing at random', 'src/core/x.ts', 'export const r = Math.random();'],
  ['src/core using the network', 'src/core/x.ts', "export const r = fetch('x');"],
  ['src/sites importing Node', 'src/sites/x.ts', "import 'node:fs';"],
  ['src/sites importing the engine', 'src/sites/x.ts', "import '../engine/engine.ts';"],
  [
    'src/sites importing the editor',
    'src/sites/x.ts',
    "import * as vscode from 'vscode'; export { vscode };",
  ],
  ['src/agents importing Node', 'src/agents/x.ts', "import 'node:fs';"],
  ['src/agents importing the engine', 'src/agents/x.ts', "import '../engine/engine.ts';"],
  ['src/agents importing the extension', 'src/agents/x.ts', "import '../extension/main.ts';"],
  ['src/shared importing Node', 'src/shared/x.ts', "import 'node:path';"],
  [
    'the engine importing the editor',
    'src/engine/x.ts',
    "import * as vscode from 'vscode'; export { vscode };",
  ],
  ['the engine importing the extension', 'src/engine/x.ts', "import '../extension/main.ts';"],
  ['the extension importing the engine', 'src/extension/x.ts', "import '../engine/engine.ts';"],
  ['a panel importing the engine', 'webview/inspector/x.ts', "import '../../src/engine/engine.ts';"],
  ['a panel importing Node', 'webview/inspector/x.ts', "import 'node:fs';"],
] as const)
  test(`lint refuses ${what}`, async () => {
    assert.ok((await complaints(file, code)).length > 0);
  });

test('lint allows what the layers allow', async () => {
  assert.deepEqual(await complaints('src/engine/x.ts', "import 'node:fs'; import '../core/errors.ts';"), []);
  assert.deepEqual(await complaints('src/extension/x.ts', "import 'vscode'; import '../shared/rpc.ts';"), []);
});
