/** From two programs to figures beside their calls: rebuilt, measured on the user's own retriever, and captured. */
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { NODE, ROOT, SAMPLE } from '../../scripts/lib/project.mjs';
import { withEditor, type Editor } from './support/editor.ts';
import { step, takePicture, waitForCount } from './support/journey.ts';

const QUESTION = 'Is intermittent fasting a good way to lose weight?';

/** The user's own retriever: passages of a hundred words, ranked by the words shared with the question. */
const OWN_RETRIEVER = `import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from './parallax-retriever.ts';

const words = (text: string) => text.toLowerCase().match(/\\w{4,}/g) ?? [];
const docs = join(import.meta.dirname, '..', 'docs');
const passages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(docs, name), 'utf8'))
  .flatMap((text) => text.match(/(?:\\s*\\S+){1,100}/g) ?? []);

serve((query, k) => {
  const asked = new Set(words(query));
  return passages
    .map((text) => ({ text, score: words(text).filter((word) => asked.has(word)).length }))
    .sort((a, b) => b.score - a.score)
    .slice(0, k);
});
`;

test('figures beside the code: rebuilt, measured and captured', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'parallax-inline-'));
  try {
    const options = { workspace: workspaceWithRetriever(home), theme: 'dark' } as const;
    await withEditor('inline', options, (editor) => journey(t, editor));
  } finally {
    rmSync(home, { recursive: true });
  }
});

async function journey(t: TestContext, editor: Editor): Promise<void> {
  const { workbench, compare, page } = editor;
  const lens = (text: RegExp) => workbench.lens(text);

  await step(t, 'both sample programs have lenses, and nothing was evaluated', async () => {
    await openAt(editor, 'rag.ts', 'qdrant.query');
    await lens(/^Try a stand-in$/)
      .first()
      .waitFor();
    await waitForCount(lens(/^Try a stand-in$/), 1);
    await openAt(editor, 'rag.py', 'return BM25Retriever');
    await lens(/^Try a stand-in$/)
      .nth(1)
      .waitFor();
    await waitForCount(lens(/^Try a stand-in$/), 2);
  });

  await step(t, 'a click evaluates the call on an index of the corpus, and the lens says so', async () => {
    await lens(/^Try a stand-in$/)
      .first()
      .click();
    await lens(/^MRecall@5 (?:≥ )?\d+% \(stand-in\)$/)
      .first()
      .waitFor();
    await lens(/^Details$/)
      .first()
      .waitFor();
    await waitForCount(lens(/measured/), 0);
    await takePicture(editor, 'inline-rebuilt');
  });

  await step(t, 'one choice binds the call to a command, and the file says so', async () => {
    await workbench.goToLine(lineOf(editor, 'rag.py', 'return BM25Retriever'));
    await workbench.runCommand('Parallax: Bind Call Site to Pipeline…');
    await workbench.chooseEntry('prod');
    await workbench.waitForText('# parallax: retriever=prod');
    await lens(/^Evaluate (?:\(measured\)|again)$/)
      .first()
      .waitFor();
  });

  await step(t, 'its figures are measured by running the program', async () => {
    await lens(/^Evaluate (?:\(measured\)|again)$/)
      .first()
      .click();
    await lens(/^MRecall@5 (?:≥ )?\d+% measured$/).waitFor();
    await lens(/^Details$/)
      .first()
      .waitFor();
    await takePicture(editor, 'inline-measured');
  });

  await step(t, 'the figure opens the comparison of these pipelines', async () => {
    await lens(/^MRecall@5 (?:≥ )?\d+% measured$/).click();
    await compare.getByTestId('compare-table').waitFor();
    const rows = await compare
      .getByTestId(/^row-/)
      .evaluateAll((all) => all.map((row) => row.dataset['testid']));
    assert.ok(
      rows.some((row) => row?.includes('prod')),
      rows.join(),
    );
    assert.ok(
      rows.some((row) => row?.includes('MMR')),
      rows.join(),
    );
    await takePicture(editor, 'inline-compare');
  });

  await step(t, 'the what-if of a vector store shows the edit and changes no file', async () => {
    await openAt(editor, 'rag.ts', 'qdrant.query');
    const program = join(editor.folder, 'app', 'rag.ts');
    const before = readFileSync(program, 'utf8');
    await lens(/^Try a stand-in$/).click();
    await lens(/^\+words (?:no difference|[+−]\d+\.\d pts\??)(?: on \d+ of \d+)?$/).waitFor();
    // The hover offers the best what-if among those with a known edit.
    await page
      .locator('.view-line')
      .filter({ hasText: 'qdrant.query(' })
      .getByText('query', { exact: true })
      .first()
      .hover();
    await page.locator('.monaco-hover a').filter({ hasText: 'Preview +MMR 0.75' }).click();
    await page.locator('.monaco-diff-editor').getByText('mmr: { diversity: 0.25').first().waitFor();
    await takePicture(editor, 'inline-what-if');
    assert.equal(readFileSync(program, 'utf8'), before);
  });

  await step(t, 'retrievals of a running program are listed and shown at their call', async () => {
    await workbench.runCommand('Parallax: Analyse…');
    await workbench.chooseEntry('Start Capturing Retrievals');
    await workbench
      .notification('Retrievals are captured')
      .getByRole('button', { name: 'Open Terminal' })
      .click();
    await page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
    const program = join(editor.folder, 'app', 'rag.ts');
    const line = lineOf(editor, 'rag.ts', 'qdrant.query');
    const documents = ['dietitian-column.md', 'gym-newsletter.md'].map((name) => `docs/fasting/${name}`);
    const traced = join(ROOT, 'test', 'e2e', 'support', 'traced-program.ts');
    const words = [NODE, traced, program, String(line), QUESTION, ...documents];
    await page.keyboard.type(`${words.map((word) => `'${word}'`).join(' ')}\n`);
    await page.locator('.statusbar-item').filter({ hasText: '1 captured' }).waitFor();
    await openAt(editor, 'rag.ts', 'qdrant.query');
    await lens(/^captured: 1 question · k=5 · (?:≥ )?\d of \d perspectives \(\d+% judged/).waitFor();
    await workbench.runCommand('View: Hide Panel');
    await workbench.widenSideBar(420);
    await page.locator('.pane-body').getByText(QUESTION).last().click();
    await takePicture(editor, 'inline-captured');
  });

  await step(
    t,
    'a retriever is measured from its call on: two questions, a program to complete',
    async () => {
      await openAt(editor, 'rag.ts', 'qdrant.query');
      await workbench.runCommand('Parallax: Bind Call Site to Pipeline…');
      await workbench.chooseEntry('Measure my retriever…');
      await workbench.answerInput('Measure My Retriever (1 of 2)', 'own');
      await workbench.chooseEntry('Another program…');
      await workbench.answerInput('Measure My Retriever (2 of 2)', NODE);
      await workbench.tab('parallax-own.ts').waitFor();
      await workbench.waitForText("import { retrieve } from './rag.ts';");
      const asked = workbench.notification('Complete parallax-own.ts and save it.');
      await takePicture(editor, 'inline-measure');
      // Started before the question is complete, because no store answers in the sample.
      await asked.getByRole('button', { name: 'Start' }).click();
      const mend = workbench.notification('Fix the program, save it, and start it again.');
      await mend.waitFor();
      const config = join(editor.folder, 'parallax.json');
      assert.doesNotMatch(readFileSync(config, 'utf8'), /parallax-own/u);
      writeFileSync(join(editor.folder, 'app', 'parallax-own.ts'), OWN_RETRIEVER);
      await mend.getByRole('button', { name: 'Start' }).click();
      await lens(/^MRecall@5 (?:≥ )?\d+% measured$/).waitFor();
      assert.match(
        readFileSync(config, 'utf8'),
        /"command":\s*\[\s*"[^"]+",\s*"parallax-own\.ts"\s*\],\s*"cwd":\s*"app"/u,
      );
      await workbench.waitForText('// parallax: retriever=own');
      await takePicture(editor, 'inline-measured-own');
    },
  );
}

/** Opens a sample program with the cursor at a text. */
async function openAt(editor: Editor, program: string, text: string): Promise<void> {
  await editor.workbench.openFile(program);
  await editor.workbench.goToLine(lineOf(editor, program, text));
}

/** The line of a sample program in which a text first occurs, from 1. */
function lineOf({ folder }: Editor, program: string, text: string): number {
  const lines = readFileSync(join(folder, 'app', program), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}

/** The sample with a retriever of the user behind the helper that Parallax ships. */
function workspaceWithRetriever(home: string): string {
  const workspace = join(home, 'sample');
  cpSync(SAMPLE, workspace, { recursive: true });
  copyFileSync(
    join(ROOT, 'media', 'helpers', 'parallax-retriever.ts'),
    join(workspace, 'app', 'parallax-retriever.ts'),
  );
  writeFileSync(join(workspace, 'app', 'retrieve.ts'), OWN_RETRIEVER);
  const file = join(workspace, 'parallax.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { pipelines: object };
  const prod = { retriever: { type: 'command', command: [NODE, 'app/retrieve.ts'] }, k: 5 };
  writeFileSync(file, JSON.stringify({ ...config, pipelines: { ...config.pipelines, prod } }));
  return workspace;
}
