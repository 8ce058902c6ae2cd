/**
 * From an unknown application to a gate on its retriever: run, asked once, measured, and guarded. The program is the
 * user's, on a real LanceDB, and is not changed before it gets worse.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { MODULES, NODE, SAMPLE } from '../../scripts/lib/project.mjs';
import { withEditor, type Editor } from './support/editor.ts';
import { step, takePicture } from './support/journey.ts';

const QUESTION = 'Is intermittent fasting a good way to lose weight?';

/** Embeds by counting words, without a model. The call receives a vector, as with most stores. */
const PROGRAM = `import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { connect } from '@lancedb/lancedb';

const DOCS = join(import.meta.dirname, '..', 'docs');

function embed(text) {
  const vector = Array.from({ length: 256 }, () => 0);
  for (const word of text.toLowerCase().match(/\\w{4,}/g) ?? [])
    vector[[...word].reduce((sum, sign) => (sum * 31 + sign.codePointAt(0)) % 256, 7)] += 1;
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const passages = readdirSync(DOCS, { recursive: true })
  .filter((name) => name.endsWith('.md'))
  .flatMap((source) =>
    (readFileSync(join(DOCS, source), 'utf8').match(/(?:\\s*\\S+){1,120}/g) ?? []).map((text) => ({ source, text })),
  );
const db = await connect(join(import.meta.dirname, '..', '.lancedb'));
const rows = passages.map((passage) => ({ ...passage, vector: embed(passage.text) }));
const table = await db.createTable('passages', rows, { mode: 'overwrite' });

async function retrieve(question) {
  const vector = embed(question);
  const found = await table.search(vector).limit(4).toArray();
  return found.map(({ source, text }) => ({ source, text }));
}

const lines = createInterface({ input: process.stdin });
console.log('Ask me something.');
for await (const question of lines) console.log((await retrieve(question)).map(({ source }) => source).join('\\n'));
`;

test('an unmodified program: run, asked once, measured, guarded', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'parallax-live-journey-'));
  try {
    const options = { workspace: application(home), theme: 'dark' } as const;
    await withEditor('live', options, (editor) => journey(t, editor));
  } finally {
    rmSync(home, { recursive: true });
  }
});

async function journey(t: TestContext, editor: Editor): Promise<void> {
  const { workbench, page, compare } = editor;
  const lens = (text: RegExp) => workbench.lens(text);
  const terminal = (text: RegExp) =>
    page.locator('.terminal-wrapper.active .xterm-rows').filter({ hasText: text });
  const before = readFileSync(join(editor.folder, 'app', 'search.mjs'), 'utf8');

  await step(t, 'the call offers to run the program', async () => {
    await workbench.openFile('search.mjs');
    await workbench.goToLine(before.split('\n').findIndex((line) => line.includes('table.search')) + 1);
    await lens(/^Run to see what this call misses$/u).waitFor();
    await takePicture(editor, 'live-found');
  });

  await step(t, 'the call shows what it retrieved for one question', async () => {
    await lens(/^Run to see what this call misses$/u).click();
    // The editor types its command into the terminal; wait for it before replacing it.
    await page.locator('.terminal-wrapper.active .xterm-rows', { hasText: 'app/search.mjs' }).waitFor();
    await lens(/^Observed: no retrieval yet$/u).waitFor();
    // The editor's terminal uses the machine's Node; the test replaces it by its own.
    await page.keyboard.press('Control+U');
    await page.keyboard.type(`${NODE} app/search.mjs\n${QUESTION}\n`);
    await lens(/^captured: 1 question · (?:k=4|MRecall@4)/u).waitFor();
    await takePicture(editor, 'live-captured');
  });

  await step(t, 'a measured call has its own figures, beside those of possible rerankers', async () => {
    await lens(/^Measure on the eval set$/u).click();
    await workbench.answerDialog(/Measure retrieve\(question\) on \d+ questions\?/u, 'Measure');
    await lens(/^MRecall@4 (?:≥ )?\d+% measured$/u).waitFor();
    await lens(/^perfect reranker (?:≥ )?\d+%$/u).waitFor();
    await workbench.runCommand('View: Hide Panel');
    await takePicture(editor, 'live-measured');
    await workbench.openView('Captured');
    const row = page.locator('.pane-body .monaco-list-row').filter({ hasText: QUESTION });
    await row.click({ button: 'right' });
    await workbench.chooseInMenu(/^Open Captured Question/u);
    await editor.inspector.getByTestId('result-1').waitFor();
    await editor.inspector.getByTestId('pipeline-details').filter({ hasText: 'captured.jsonl' }).waitFor();
    await workbench.widenSideBar(420);
    await takePicture(editor, 'live-inspected');
    await lens(/^MRecall@4 /u).click();
    for (const name of ['+MMR 0.75', '+PAP', 'best order'])
      await compare.getByTestId(`row-${name}`).waitFor();
    await takePicture(editor, 'live-compared');
  });

  await step(t, 'the program’s file is unchanged', () => {
    assert.equal(readFileSync(join(editor.folder, 'app', 'search.mjs'), 'utf8'), before);
    return Promise.resolve();
  });

  await step(t, 'a gate on the program passes, and fails once the program retrieves less', async () => {
    guard(editor.folder);
    await workbench.runCommand('Terminal: Create New Terminal');
    await page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
    await page.keyboard.type(
      `${NODE} ${commandLine(editor)} gate --accept; ${NODE} ${commandLine(editor)} gate\n`,
    );
    await terminal(/Passed: 2 checks/u).waitFor();
    writeFileSync(join(editor.folder, 'app', 'search.mjs'), before.replace('limit(4)', 'limit(2)'));
    await workbench.runCommand('Tasks: Run Task');
    await workbench.chooseEntry('parallax');
    await workbench.chooseEntry('parallax: gate');
    await terminal(/Failed: 1 of 2 checks/u).waitFor();
    await workbench.openFile('search.mjs');
    await lens(/^MRecall@4 /u).waitFor();
    await takePicture(editor, 'live-gate');
  });
}

/** The pipeline and the gate that docs/ci.md shows, with a smoke test of one question. */
function guard(folder: string): void {
  const file = join(folder, 'parallax.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { readonly pipelines: object };
  const command = ['sh', '-c', `echo '${QUESTION}' | ${NODE} app/search.mjs`];
  const retriever = {
    type: 'run',
    file: '.parallax/measured.jsonl',
    program: { at: 'app/search.mjs:retrieve', command },
  };
  const gate = {
    pipelines: ['mine'],
    k: 4,
    baseline: { file: '.parallax/baselines/main.json', lostPerspectives: 0 },
  };
  const pipelines = { ...config.pipelines, mine: { retriever, k: 4 } };
  writeFileSync(file, JSON.stringify({ ...config, pipelines, gate }, undefined, 2));
}

/** The command line that ships with the extension. */
function commandLine({ extensions }: Editor): string {
  const name = readdirSync(extensions).find((each) => each.startsWith('parallax.parallax-rag'));
  return join(extensions, name!, 'dist', 'cli.js');
}

/** Documents, an eval set, and a program that searches them in a LanceDB table. */
function application(home: string): string {
  const workspace = join(home, 'wiki');
  for (const part of ['docs', 'eval', '.parallax', 'parallax.json'])
    cpSync(join(SAMPLE, part), join(workspace, part), { recursive: true });
  mkdirSync(join(workspace, 'app'));
  writeFileSync(join(workspace, 'app', 'search.mjs'), PROGRAM);
  mkdirSync(join(workspace, 'node_modules'));
  symlinkSync(join(MODULES, '@lancedb'), join(workspace, 'node_modules', '@lancedb'));
  return workspace;
}
