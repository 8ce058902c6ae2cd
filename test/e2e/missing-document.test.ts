/** A document that is not retrieved: found by its name, explained, made a test, and brought in. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SAMPLE } from '../../scripts/lib/project.mjs';
import { withEditor, type Editor } from './support/editor.ts';
import { step, takePicture, waitForEqual } from './support/journey.ts';

const QUESTION = 'Should secondary schools start later in the morning?';
const FOUND = 'Who will straighten the bent hurdles?';
const DOCUMENT = 'docs/school-start/harriers-newsletter.md';
const SET = 'questions.parallax.jsonl';

test('a missing document', async (t) => {
  await withEditor('missing-document', { workspace: SAMPLE, theme: 'dark' }, (editor) => journey(t, editor));
});

async function journey(t: TestContext, editor: Editor): Promise<void> {
  const { workbench, inspector, testing, page, folder } = editor;
  const read = (...file: string[]): string => readFileSync(join(folder, ...file), 'utf8');

  await step(
    t,
    'it is offered while its name is typed, and the answer has a change with its price',
    async () => {
      await workbench.openView('Ask');
      await inspector.index();
      await inspector.ask(QUESTION);
      await inspector.getByTestId('missing-document').locator('input').fill('harriers');
      await inspector.getByTestId('offered').getByRole('button').first().click();
      assert.match(await inspector.getByTestId('cause').innerText(), /rank \d+/u);
      await inspector
        .getByTestId('change-price')
        .getByText(/^MRecall [\d.]+% → ≥ [\d.]+%; difference not known/u)
        .waitFor();
      await inspector.getByTestId('change-price').scrollIntoViewIfNeeded();
      await takePicture(editor, 'missing-document');
    },
  );

  await step(t, 'the question becomes a test', async () => {
    await inspector.getByTestId('expect-document').click();
    await workbench.chooseEntry(`eval/${SET}`);
    await waitForEqual(() => read('eval', SET).includes(`"document":"${DOCUMENT}","within":5`), true);
  });

  await step(t, 'the change is written to parallax.json, used, and brings the document in', async () => {
    await inspector.getByTestId('save-change').click();
    await workbench.tab('parallax.json').waitFor();
    await inspector
      .getByTestId('cause')
      .getByText(/^It is returned: rank \d+ of \d+\.$/u)
      .waitFor();
    const { pipelines } = JSON.parse(read('parallax.json')) as { pipelines: Record<string, object> };
    assert.equal(Object.keys(pipelines).filter((name) => name.startsWith('bm25, ')).length, 1);
  });

  await step(t, 'a document that is found becomes a test, too, by a part of its name', async () => {
    await inspector.ask(FOUND);
    await inspector.getByTestId('missing-document').locator('input').fill('harriers-news');
    await inspector.getByTestId('missing-find').click();
    await inspector
      .getByTestId('cause')
      .getByText(/^It is returned: rank 1 of/u)
      .waitFor();
    await inspector.getByTestId('expect-document').click();
    await workbench.chooseEntry(`eval/${SET}`);
    await waitForEqual(() => read('eval', SET).includes(FOUND), true);
  });

  await step(t, 'the test fails as long as the old pipeline is used', async () => {
    await workbench.runCommand('Testing: Focus on Test Explorer View');
    await testing.unfold(SET);
    await testing.runAll();
    await testing.outcome(SET, 'failed').waitFor();
    await testing.outcome(FOUND, 'passed').waitFor();
    await testing.outcome(/start later/u, 'failed').click();
    await page
      .getByText(/missed: missing documents ≤ 0/u)
      .first()
      .waitFor();
  });
}
