/** Evaluation as a habit: an eval set is edited, run from the Testing view, fails, and becomes the baseline. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SAMPLE } from '../../scripts/lib/project.mjs';
import { withEditor, type Editor } from './support/editor.ts';
import { step, takePicture, waitForCount } from './support/journey.ts';

const SET = 'questions.parallax.jsonl';
const QUERY = JSON.stringify({
  _id: 'evenings',
  text: 'Do bright evenings matter to teenagers?',
  perspectives: [{ id: 'light', text: 'Teenagers need the daylight after school.' }],
});
/** Finds next to nothing: whole words between spaces, however rare. */
const WORSE = { retriever: { type: 'bm25', k1: 0, analyzer: 'whitespace' }, k: 5 };

test('an eval set is edited, run, missed and accepted', async (t) => {
  // What is typed is meant as it is.
  const settings = {
    'editor.autoClosingBrackets': 'never',
    'editor.autoClosingQuotes': 'never',
    'editor.suggestOnTriggerCharacters': false,
    'editor.quickSuggestions': { other: 'off', strings: 'off' },
  };
  await withEditor('evaluation', { workspace: SAMPLE, theme: 'dark', settings }, (editor) =>
    journey(t, editor),
  );
});

async function journey(t: TestContext, editor: Editor): Promise<void> {
  const { workbench, testing, inspector, history, page } = editor;
  const file = join(editor.folder, 'eval', SET);
  const queries = readFileSync(file, 'utf8').trimEnd().split('\n').length;

  await step(t, 'a line that is no query is marked while it is written', async () => {
    appendFileSync(file, '\n');
    await workbench.openFile(SET);
    await workbench.goToLine(queries + 1);
    await page.keyboard.type('{"_id": "evenings", "texts": ""}');
    await workbench.problem().first().waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Delete');
    await page.keyboard.type(QUERY);
    await page.keyboard.press('Control+s');
    await workbench.problem().first().waitFor({ state: 'hidden' });
  });

  await step(t, 'the Testing view lists every query, the new one too', async () => {
    await workbench.openView('Inspector');
    await inspector.index();
    await workbench.runCommand('Testing: Focus on Test Explorer View');
    await testing.unfold(SET);
    await testing.item(/bright evenings/).waitFor();
  });

  await step(t, 'they pass as long as nothing is demanded, and are accepted as the baseline', async () => {
    await testing.runAll();
    await testing.outcome(SET, 'passed').waitFor();
    await workbench.runCommand('Parallax: Accept as Baseline');
    await workbench.notification('.parallax/baselines/main.json').waitFor();
    const baseline = readFileSync(join(editor.folder, '.parallax', 'baselines', 'main.json'), 'utf8');
    assert.match(baseline, /"evenings"/);
    await takePicture(editor, 'testing-passed');
  });

  await step(t, 'a worse pipeline fails, and the failure says what was lost', async () => {
    changePipeline(editor, WORSE);
    await testing.outdated().first().waitFor();
    await testing.runAll();
    await testing.outcome(SET, 'failed').waitFor();
    await testing.failed().nth(1).click();
    await page
      .getByText(/bm25 lost a perspective/)
      .first()
      .waitFor();
    await takePicture(editor, 'testing-failed');
    await testing.openFailure();
    await workbench.sideBarView('Inspector').waitFor();
    await workbench.runCommand('Testing: Focus on Test Explorer View');
  });

  await step(t, 'accepted as the new baseline, it passes', async () => {
    await workbench.runCommand('Parallax: Accept as Baseline');
    await workbench.answerDialog(/main\.json/, 'Replace');
    await testing.runAll();
    await testing.outcome(SET, 'passed').waitFor();
  });

  await step(t, 'the history tells what changed between the runs, query by query', async () => {
    await workbench.runCommand('Parallax: Show Evaluation History');
    await history.getByTestId('runs').waitFor();
    const runs = history.getByTestId('runs').locator('tbody');
    const before = await runs.count();
    assert.ok(before >= 4);
    await history
      .getByTestId('section-timeline')
      .getByRole('img', { name: /^MRecall@5 on questions/ })
      .waitFor();
    // A new run appears without opening the panel again.
    await history.getByTestId('evaluate').click();
    await waitForCount(runs, before + 1);
    await workbench.runCommand('Notifications: Clear All Notifications');
    await takePicture(editor, 'history');
    await history.pickRun(0);
    await history.pickRun(before);
    await history.getByTestId('compare').click();
    await history.getByTestId('reasons').getByText('retriever.k1').waitFor();
    assert.match(await history.getByTestId('difference-MRecall@5').innerText(), /pipeline/);
  });
}

/** As by another branch: the file changes on disk. */
function changePipeline({ folder }: Editor, bm25: object): void {
  const file = join(folder, 'parallax.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { pipelines: object };
  writeFileSync(file, JSON.stringify({ ...config, pipelines: { ...config.pipelines, bm25 } }, null, 2));
}
