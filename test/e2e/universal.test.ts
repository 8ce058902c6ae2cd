/**
 * The package without native parts, installed and used: index, exact search, an encoder in WebAssembly, and the
 * walkthrough, which is the same in every package.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SAMPLE } from '../../scripts/lib/project.mjs';
import { UNIVERSAL } from '../../scripts/lib/targets.mjs';
import { vsixFor } from '../../scripts/lib/vsix.mjs';
import { writeTinyEncoder } from '../fixtures/tiny-encoder/make.ts';
import { withEditor, type Editor } from './support/editor.ts';
import { step, waitForCount } from './support/journey.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const QUESTION = 'Is intermittent fasting a good way to lose weight?';

/** The panel begins with the first pipeline. */
const PIPELINES = {
  encoder: { retriever: { type: 'dense', embedder: 'tiny', search: 'approximate' }, k: 5 },
  bm25: { retriever: { type: 'bm25' }, k: 5 },
};

test('the universal package', async (t) => {
  const home = temporaryFolder(t);
  const workspace = await workspaceWithEncoder(home);
  const extensions = [vsixFor(UNIVERSAL)];
  // Wide enough for the picture of a step beside its text.
  const viewport = { width: 1900, height: 860 };
  await withEditor('universal', { workspace, extensions, viewport }, (editor) => useIt(t, editor));
});

async function useIt(t: TestContext, editor: Editor): Promise<void> {
  const { workbench, inspector } = editor;

  await step(t, 'the package has no native file', async () => {
    const names = readdirSync(editor.extensions, { recursive: true, encoding: 'utf8' });
    assert.ok(names.some((name) => name.endsWith('ort-wasm-simd-threaded.wasm')));
    assert.deepEqual(
      names.filter((name) => /\.(node|dll|dylib|so(\.\d+)*)$/u.test(name)),
      [],
    );
  });

  const steps = editor.page.locator('.getting-started-step');

  await step(t, 'the walkthrough has five steps, all of them open', async () => {
    await workbench.runCommand('Parallax: Get Started');
    await steps.filter({ hasText: 'Ask a contentious question' }).waitFor();
    await waitForCount(steps, 5);
    await waitForCount(steps.getByRole('checkbox', { checked: true }), 0);
  });

  await step(t, 'indexing a corpus completes the first step', async () => {
    await workbench.openView('Ask');
    await workbench.widenSideBar(420);
    await inspector.index();
    // The page returns to its overview when the window layout changes.
    await workbench.runCommand('Parallax: Get Started');
    const first = steps.filter({ hasText: 'Index your documents' });
    await first.getByRole('checkbox', { checked: true }).waitFor();
    await pictureShows(editor, 'first supported at rank 15');
    await editor.screenshot('walkthrough');
  });

  await step(t, 'an encoder finds five passages', async () => {
    await inspector.ask(QUESTION);
    await waitForCount(inspector.getByTestId(/^result-\d+$/u), 5);
  });

  await step(t, 'the panel says what is slower without native parts', async () => {
    for (const reason of [/Approximate search needs hnswlib-node/u, /run in WebAssembly/u])
      await inspector.frame.locator('.notice', { hasText: reason }).waitFor();
  });

  await step(t, 'nothing failed on the way', async () => {
    const log = editor.logs().join('\n');
    assert.match(log, /Indexed handbook/u);
    assert.doesNotMatch(log, /\[error\]/u);
  });
}

/** Waits for a text in the picture beside a step, which is in a separate frame. */
async function pictureShows({ page }: Editor, text: string): Promise<void> {
  for (const until = Date.now() + 300_000; Date.now() < until; await page.waitForTimeout(250)) {
    const counts = await Promise.all(
      page.frames().map((frame) => frame.locator('svg', { hasText: text }).count()),
    );
    if (counts.some((count) => count > 0)) return;
  }
  throw new Error(`No picture shows "${text}".`);
}

async function workspaceWithEncoder(home: string): Promise<string> {
  const workspace = join(home, 'sample');
  cpSync(SAMPLE, workspace, { recursive: true });
  await writeTinyEncoder(join(workspace, 'models', 'tiny'));
  const file = join(workspace, 'parallax.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as object;
  const embedders = { tiny: { type: 'onnx', path: 'models/tiny', maxTokens: 64 } };
  writeFileSync(file, JSON.stringify({ ...config, embedders, pipelines: PIPELINES }, null, 2));
  return workspace;
}
