/** A daily evaluation: an eval set is edited, run from the Testing view, fails, and becomes the baseline. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { SAMPLE } from '../../scripts/lib/project.mjs';
import { withEditor, type Editor } from './support/editor.ts';
import { step, takePicture, waitForCount, waitForEqual } from './support/journey.ts';

const SET = 'questions.parallax.jsonl';
const QUERY = JSON.stringify({
  _id: 'evenings',
  text: 'Do bright evenings matter to teenagers?',
  perspectives: [{ id: 'light', text: 'Teenagers need the daylight after school.' }],
});
/** Finds next to nothing: whole words between spaces, however rare. */
const WORSE = { retriever: { type: 'bm25', k1: 0, analyzer: 'whitespace' }, k: 5 };

test('an eval set is edited, run, missed and accepted', async (t) => {
  // The editor must not change what is typed.
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

  await step(t, 'an invalid line is marked while it is typed', async () => {
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
    await waitForEqual(() => readFileSync(file, 'utf8').split('\n')[queries], QUERY);
  });

  await step(t, 'the Testing view lists every query, including the new one', async () => {
    await workbench.openView('Ask');
    await inspector.index();
    await workbench.runCommand('Testing: Focus on Test Explorer View');
    await testing.unfold(SET);
    await testing.item(/bright evenings/).waitFor();
  });

  await step(t, 'queries without a baseline are skipped, and accepted as the baseline', async () => {
    await testing.runAll();
    await testing.outcome(SET, 'skipped').waitFor();
    await workbench.runCommand('Parallax: Accept as Baseline');
    await workbench.notification('.parallax/baselines/main.json').waitFor();
    const baseline = readFileSync(join(editor.folder, '.parallax', 'baselines', 'main.json'), 'utf8');
    assert.match(baseline, /"evenings"/);
    await takePicture(editor, 'testing-skipped');
  });

  await step(t, 'a worse pipeline fails, and the failure names what was lost', async () => {
    await workbench.runCommand('Notifications: Clear All Notifications');
    changePipeline(editor, WORSE);
    await testing.outdated().first().waitFor();
    await testing.runAll();
    // The other query now retrieves an unjudged passage, so it is undecided.
    await testing.outcome(/later school day/u, 'skipped').waitFor();
    const query = testing.outcome(/every team keep its own/u, 'failed');
    const label = await query.innerText();
    await query.click();
    await page
      .getByText(/bm25 lost a perspective/)
      .first()
      .waitFor();
    await takePicture(editor, 'testing-failed');
    await testing.openFailure();
    await workbench.sideBarView('Ask').waitFor();
    const question = await askedQuestion(page);
    assert.ok(label.includes(question), `"${label}" was opened, and the panel asks "${question}"`);
    await workbench.runCommand('Testing: Focus on Test Explorer View');
  });

  await step(t, 'a result accepted as the new baseline passes', async () => {
    await workbench.runCommand('Parallax: Accept as Baseline');
    await workbench.answerDialog(/main\.json/, 'Replace');
    await testing.runAll();
    await testing.outcome(SET, 'passed').waitFor();
  });

  await step(t, 'the history shows what changed between the runs, query by query', async () => {
    await workbench.runCommand('Parallax: Analyse…');
    await workbench.chooseEntry('Show Evaluation History');
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
    await workbench.runCommand('View: Hide Panel');
    await takePicture(editor, 'history');
    await history.getByTestId('copy-runs').click();
    const copied = await editor.clipboard(/^# Evaluations of questions\n/u);
    assert.equal(copied.split('\n').filter((line) => /^\| \d{4}-/u.test(line)).length, before + 1);
    await history.pickRun(0);
    await history.pickRun(before);
    await history.getByTestId('compare').click();
    await history.getByTestId('reasons').getByText('retriever.k1').waitFor();
    assert.match(await history.getByTestId('difference-MRecall@5').innerText(), /pipeline/);
    await history.getByTestId('copy-comparison').click();
    assert.match(await editor.clipboard(/retriever\.k1/u), /^\| MRecall@5 /mu);
  });

  await step(t, 'an invalid parallax.json is reported where its figures would be', async () => {
    const config = join(editor.folder, 'parallax.json');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, text.replace('"k": 5', '"k": "five"'));
    await history.getByTestId('config-problem').getByText(/\.k: /).waitFor();
    await testing.item(/\.k: /).waitFor();
    await testing.item(/\.k: /).getByRole('link').click();
    await workbench.tab(/^parallax\.json/).waitFor();
    await workbench.runCommand('View: Close Editor');
    await workbench.openView('Ask');
    await workbench.chooseInTitle('Ask', 'Index Corpus');
    const refused = workbench.notification(/\.k: .* nothing is indexed or evaluated/);
    await refused.getByRole('button', { name: 'Open parallax.json' }).click();
    await workbench.tab(/^parallax\.json/).waitFor();
    writeFileSync(config, text);
    await workbench.runCommand('Testing: Focus on Test Explorer View');
    await testing.item(SET).waitFor();
    await workbench.runCommand('View: Close Editor');
    await history.getByTestId('config-problem').waitFor({ state: 'hidden' });
  });

  await step(t, 'without an eval set, the editor offers to build one', async () => {
    const config = join(editor.folder, 'parallax.json');
    const content = JSON.parse(readFileSync(config, 'utf8')) as object;
    writeFileSync(config, JSON.stringify({ ...content, evalSets: undefined }));
    await testing.item(SET).waitFor({ state: 'hidden' });
    await workbench.runCommand('Parallax: Evaluate Workspace');
    const refused = workbench.notification(/There is no eval set/);
    await refused.getByRole('button', { name: 'Open parallax.json' }).waitFor();
    await refused.getByRole('button', { name: 'Build Eval Set…' }).click();
    await workbench.notification(/Building needs a model that writes/).waitFor();
  });
}

/**
 * The question in the side panel, once there is one. All frames are searched, because a view that is shown again has
 * another address.
 */
async function askedQuestion(page: Page): Promise<string> {
  for (const until = Date.now() + 300_000; Date.now() < until; await sleep(200))
    for (const frame of page.frames()) {
      // Most frames have no such field, and some are being replaced.
      const question = await frame
        .getByTestId('query')
        .inputValue({ timeout: 500 })
        .catch(() => '');
      if (question !== '') return question;
    }
  throw new Error('The side panel asks nothing.');
}

/** Changes the file on disk, as checking out another branch does. */
function changePipeline({ folder }: Editor, bm25: object): void {
  const file = join(folder, 'parallax.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { pipelines: object };
  writeFileSync(file, JSON.stringify({ ...config, pipelines: { ...config.pipelines, bm25 } }, null, 2));
}
