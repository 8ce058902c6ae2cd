/** The path of a new user: from the installed package to the first insight, and back after a restart. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { SAMPLE } from '../../scripts/lib/project.mjs';
import { withEditor, type Editor, type Theme } from './support/editor.ts';
import { step, takePicture, waitForCount, waitForEqual } from './support/journey.ts';
import { parentOf, processesOf, showsProcesses } from './support/processes.ts';

/** The sample's README promises that this question's answer misses a perspective. */
const QUESTION = 'Is intermittent fasting a good way to lose weight?';

const PICTURES: Theme[] = ['light', 'dark', 'high-contrast'];

test('the journey of a new user', async (t) => {
  await withEditor('journey', { workspace: SAMPLE, theme: 'light' }, (editor) => journey(t, editor));
});

async function journey(t: TestContext, editor: Editor): Promise<void> {
  const { workbench, inspector } = editor;
  let corpus = '';

  await step(t, 'the panel offers to index the corpus', async () => {
    await workbench.openView('Ask');
    await workbench.widenSideBar(420);
    await inspector.getByTestId('not-indexed').waitFor();
  });

  await step(t, 'indexing ends with the size of the corpus', async () => {
    await inspector.index();
    corpus = await corpusSize(editor);
    assert.match(corpus, /[1-9]\d* documents, [1-9]\d* passages/);
  });

  await step(t, 'a question of the eval set is answered with five passages', async () => {
    await inspector.ask(QUESTION);
    await waitForCount(inspector.getByTestId(/^result-\d+$/), 5);
  });

  await step(t, 'MRecall@5 and Precision@5 agree with the verdicts on display', async () => {
    await inspector.showMore();
    const support = await inspector.support();
    const covered = support.filter((ranks) => ranks.includes(true)).length;
    const useful = [0, 1, 2, 3, 4].filter((rank) => support.some((ranks) => ranks[rank])).length;
    const shown = await inspector.getByTestId('metric-covered').innerText();
    assert.equal(shown, `${covered} of ${support.length} perspectives covered`);
    const mrecall = await inspector.metric('mrecall');
    assert.equal(mrecall.name, 'MRecall@5');
    assert.equal(mrecall.value, covered === support.length ? '1' : '0');
    const precision = await inspector.metric('precision');
    assert.equal(precision.name, 'Precision@5');
    assert.equal(precision.value, `${useful * 20}%`);
    assert.match(await inspector.getByTestId('basis').innerText(), /Judgements: \d+ by people/);
  });

  await step(
    t,
    'supported perspectives are chips on passages, the missing one says where it is',
    async () => {
      const support = await inspector.support();
      const chips = await inspector.getByTestId(/^chip-\d+-/).count();
      assert.equal(chips, support.flat().filter(Boolean).length);
      const missing = support.filter((ranks) => !ranks.includes(true)).length;
      assert.ok(missing > 0, 'the sample should show a missing perspective');
      assert.equal(
        await inspector
          .getByTestId('results')
          .getByText(/^(?:First supported|Supported) /)
          .count(),
        0,
      );
      await waitForCount(inspector.frame.getByText(/^(?:First supported|Supported) /), missing);
    },
  );

  await step(t, 'a click on a result opens its document with the evidence marked', async () => {
    const evidence = await inspector.getByTestId('result-1').locator('mark').first().innerText();
    await inspector.getByTestId('open-1').click();
    await waitForMark(editor, evidence);
  });

  await step(t, 'the missing perspective opens in a document that supports it', async () => {
    await inspector
      .getByTestId(/^open-lost-/)
      .first()
      .click();
    await workbench.underlinedLines();
  });

  await step(t, 'the panel keeps its content when the theme changes', async () => {
    for (const theme of PICTURES) {
      await workbench.changeTheme(theme);
      await inspector.getByTestId('metric-covered').waitFor();
      await takePicture(editor, `inspector-${theme}`);
    }
  });

  await step(t, 'the what-if slider moves passages, and resetting it restores them', async () => {
    const order = (): Promise<string[]> => inspector.getByTestId(/^open-\d+$/).allInnerTexts();
    const before = await order();
    await inspector.getByTestId('what-if-diversity').fill('1');
    await inspector.getByTestId('what-if-end').waitFor();
    assert.notDeepEqual(await order(), before);
    await workbench.changeTheme('dark');
    await inspector.getByTestId('open-2').scrollIntoViewIfNeeded();
    await takePicture(editor, 'what-if');
    await inspector.getByTestId('what-if-end').click();
    await inspector.getByTestId('what-if-end').waitFor({ state: 'hidden' });
    assert.deepEqual(await order(), before);
  });

  await step(t, 'the compare panel runs the workspace’s pipelines on its eval set', async () => {
    await workbench.runCommand('Parallax: Compare Pipelines');
    await editor.compare.run();
    assert.match(await editor.compare.row('Words'), /45\.5%/, 'MRecall@5 on the 11 questions of the sample');
    assert.match(await editor.compare.row('bm25 + coverage'), /90\.9%[^]*\+45\.5 pts/);
    for (const theme of ['dark', 'light'] as const) {
      await workbench.changeTheme(theme);
      await takePicture(editor, `compare-${theme}`);
    }
  });

  await step(t, 'a cell of the comparison opens its query under its pipeline in the side panel', async () => {
    await editor.compare.getByTestId(/^cell-fasting-bm25 \+ coverage$/).click();
    await inspector.coverageBecomes(/^(\d+) of \1$/);
  });

  await step(t, 'after a restart the index is still there', async () => {
    await editor.reload();
    await inspector.getByTestId('query').waitFor();
    assert.equal(await corpusSize(editor), corpus);
    await waitForCount(inspector.getByTestId('index-button'), 0);
  });

  await step(t, 'another search needs no new index and gives the same answer', async () => {
    await inspector.ask(QUESTION);
    await waitForCount(inspector.getByTestId(/^result-\d+$/), 5);
    const [first, second, ...more] = editor.logs();
    assert.match(first ?? '', /Indexed .*: [1-9]\d* added/);
    assert.doesNotMatch(second ?? '', /Indexed .*: [1-9]\d* added/);
    assert.deepEqual(more, [], 'one log for each of the two windows');
  });

  if (showsProcesses)
    await step(t, 'killing the extension host leaves no engine running', async () => {
      const engines = processesOf(editor.extensions);
      const [host, ...others] = new Set(engines.map(parentOf));
      assert.ok(host !== undefined && others.length === 0, `engines of one host: ${engines.join(', ')}`);
      process.kill(host, 'SIGKILL');
      const left = (): string =>
        processesOf(editor.extensions)
          .filter((pid) => engines.includes(pid))
          .join(', ');
      await waitForEqual(left, '');
    });
}

async function corpusSize({ inspector }: Editor): Promise<string> {
  return inspector.getByTestId('corpus-size').innerText();
}

/** Waits until the evidence is visible in the open document, with a decoration on its first line. */
async function waitForMark({ workbench }: Editor, evidence: string): Promise<void> {
  const beginning = evidence.split(/\s+/).slice(0, 4).join(' ');
  await workbench.waitForText(beginning);
  const lines = await workbench.underlinedLines();
  const text = lines.join(' ').replaceAll(/\s+/g, ' ');
  assert.ok(text.includes(beginning), `"${beginning}" is not marked in: ${text}`);
}
