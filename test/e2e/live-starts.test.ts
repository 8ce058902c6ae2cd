/** Every way to start a program observes it: debugging, a terminal by its profile, a task. And the judge is a click away. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { NODE, SAMPLE } from '../../scripts/lib/project.mjs';
import { withEditor, type Editor } from './support/editor.ts';
import { step, takePicture } from './support/journey.ts';

/** A ranking by hand, of documents by words. It gets its question as an argument and ends. */
const PROGRAM = `import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..', 'docs');
const passages = readdirSync(DOCS, { recursive: true })
  .filter((name) => name.endsWith('.md'))
  .map((source) => ({ source, text: readFileSync(join(DOCS, source), 'utf8').slice(0, 600) }));

function retrieve(wanted) {
  const words = wanted.toLowerCase().split(' ');
  const rated = passages.map((passage) => ({
    passage,
    hits: words.filter((word) => passage.text.toLowerCase().includes(word)).length,
  }));
  rated.sort((a, b) => b.hits - a.hits);
  return rated.slice(0, 8).map(({ passage }) => passage);
}

console.log(retrieve(process.argv[2] ?? 'Is intermittent fasting a good way to lose weight?').map(({ source }) => source).join('\\n'));
`;

test('a program is observed however it is started', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'parallax-starts-'));
  try {
    const options = { workspace: application(home), theme: 'dark' } as const;
    await withEditor('live-starts', options, (editor) => journey(t, editor));
  } finally {
    rmSync(home, { recursive: true });
  }
});

async function journey(t: TestContext, editor: Editor): Promise<void> {
  const { workbench, page, inspector } = editor;
  const captured = (queries: number) =>
    workbench.lens(new RegExp(`^captured: .*\\b${queries} question`, 'u'));

  await step(t, 'debugging asks once, and its program is observed', async () => {
    await workbench.openFile('search.mjs');
    await workbench.goToLine(PROGRAM.split('\n').findIndex((line) => line.includes('rated.sort')) + 1);
    await workbench.lens(/^Run to see what this call misses$/u).waitFor();
    // A busy editor loses the key, or asks for a debugger before its own one is registered.
    const dialog = page.locator('.monaco-dialog-box');
    for (let attempt = 0; attempt < 8 && !(await dialog.isVisible()); attempt++) {
      if (await page.locator('.quick-input-widget').isVisible()) await page.keyboard.press('Escape');
      await page.locator('.monaco-editor .view-lines').first().click();
      await page.keyboard.press('F5');
      await dialog.waitFor({ timeout: 30_000 }).catch(() => undefined);
    }
    await workbench.answerDialog(/Observe what programs retrieve that you debug/u, 'Observe');
    await captured(1).waitFor();
    await takePicture(editor, 'live-debugged');
  });

  await step(t, 'a terminal of the profile is observed', async () => {
    // The list of the command is older than the profiles of extensions until a terminal was opened.
    await workbench.runCommand('Terminal: Create New Terminal');
    await page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
    await workbench.runCommand('Create New Terminal (With Profile)');
    await workbench.chooseEntry('Run with Parallax');
    await page.locator('.terminal-tabs-entry').filter({ hasText: 'Run with' }).click();
    await workbench.runCommand('Terminal: Focus Terminal');
    await page.keyboard.type(
      ` ${NODE} app/search.mjs 'Should secondary schools start later in the morning?'\n`,
    );
    await captured(2).waitFor();
  });

  await step(t, 'a task is observed', async () => {
    await workbench.runCommand('Tasks: Run Task');
    await workbench.chooseEntry('search');
    await captured(3).waitFor();
  });

  await step(t, 'a click above the call judges what was retrieved', async () => {
    await workbench.lens(/^Judge the rest$/u).click();
    await inspector.getByTestId('query').waitFor();
    await takePicture(editor, 'live-judged');
  });

  await step(t, 'a program that has ended is measured when it is started again', async () => {
    await workbench.lens(/^Measure on the eval set$/u).click();
    await workbench.answerDialog(/Start it once more as before/u, 'Measure');
    await page.locator('.terminal-tabs-entry').filter({ hasText: 'Run with' }).click();
    await workbench.runCommand('Terminal: Focus Terminal');
    // The first key may be typed before the terminal has the focus.
    await page.keyboard.type(` ${NODE} app/search.mjs\n`);
    await workbench.lens(/^MRecall@8 (?:≥ )?\d+% measured$/u).waitFor();
    await takePicture(editor, 'live-measured-again');
  });
}

/** Documents, an eval set, a launch configuration and a task. */
function application(home: string): string {
  const workspace = join(home, 'wiki');
  for (const part of ['docs', 'eval', '.parallax', 'parallax.json'])
    cpSync(join(SAMPLE, part), join(workspace, part), { recursive: true });
  mkdirSync(join(workspace, 'app'));
  writeFileSync(join(workspace, 'app', 'search.mjs'), PROGRAM);
  mkdirSync(join(workspace, '.vscode'));
  const launch = {
    type: 'node',
    request: 'launch',
    name: 'search',
    program: '${workspaceFolder}/app/search.mjs',
    runtimeExecutable: NODE,
  };
  const task = {
    type: 'parallax',
    run: `${NODE} app/search.mjs 'Should Tarnbridge charge drivers to enter the town centre?'`,
    label: 'search',
  };
  writeFileSync(
    join(workspace, '.vscode', 'launch.json'),
    JSON.stringify({ version: '0.2.0', configurations: [launch] }),
  );
  writeFileSync(
    join(workspace, '.vscode', 'tasks.json'),
    JSON.stringify({ version: '2.0.0', tasks: [{ ...task, problemMatcher: [] }] }),
  );
  return workspace;
}
