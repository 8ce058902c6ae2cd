/** The real bundle of the panel of a run in Chromium: what it shows, what it sends, and whether it is accessible. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromRunSchema, type FromRun } from '../../src/features/capture/contract/panel.ts';
import { text } from './support/panel-page.ts';
import { panelSuite } from './support/panel-suite.ts';

const { panel, id, show, choose } = await panelSuite('capture', {
  accepts: fromRunSchema,
  ready: '.top, .welcome',
  widths: [300, 479, 481, 700, 1360],
});

const lastSent = async (): Promise<FromRun | undefined> => (await panel.sent()).at(-1);

describe('the picture of a run', () => {
  test('a lane lights at the search that first supports its perspective', async () => {
    await show('captured');
    const cells = async (letter: string): Promise<string[]> =>
      id(`lane-${letter}`).locator('td').allInnerTexts();
    assert.deepEqual(
      (await cells('A')).map((each) => each.trim()),
      ['first supported here', 'supported again', 'supported again', 'supported before', 'supported again'],
    );
    assert.deepEqual((await cells('B')).map((each) => each.trim()).slice(0, 4), [
      'not supported so far',
      'not supported so far',
      'first supported here',
      'supported before',
    ]);
    const figures = await id('lanes').locator('.step-figures tr').allInnerTexts();
    assert.match(figures[0]!, /1 of 5\s+1 of 5\s+3 of 5\s+3 of 5\s+3 of 5/u);
    assert.match(figures[1]!, /2\.1\s+0\s+5\.1\s+–\s+0/u);
    assert.match(figures[3]!, /0%\s+50%\s+33\.3%\s+–\s+100%/u);
    assert.match(figures[4]!, /0%\s+25%\s+0%\s+–\s+0%/u);
    await assertText('The last 2 searches added no perspective.');
  });

  test('a search shows its passages, and those of the corpus open', async () => {
    await show('captured');
    await id('search-2').click();
    assert.match(await text(id('passages')), /a page elsewhere no such passage in the index/u);
    await id('passages').getByRole('button', { name: 'survey' }).click();
    assert.deepEqual(await lastSent(), { type: 'open', passageId: 'docs/survey.md#p1' });
    await id('search-2').click();
    assert.equal(await id('passages').count(), 0);
  });

  test('the queries are asked again with a chosen retriever, which can be cancelled', async () => {
    await show('captured');
    await id('ask-again').click();
    assert.deepEqual(await lastSent(), { type: 'ask-again', pipeline: 'hybrid' });
    await choose('again-pipeline', 'bm25');
    assert.deepEqual(await lastSent(), { type: 'ask-again', pipeline: 'bm25' });
    await show('working');
    await id('cancel').click();
    assert.deepEqual(await lastSent(), { type: 'cancel' });
  });

  test('says which query reaches a lost perspective, and what other orders cover', async () => {
    await show('again');
    assert.match(await text(id('lost-D')), /Search 4 finds it at rank 14, with a larger k: volunteers/u);
    assert.match(await text(id('lost-E')), /1 passage of the corpus is labelled .* no question finds one/u);
    const rows = await id('what-ifs').locator('tbody tr').allInnerTexts();
    assert.match(rows[0]!, /as the program ran\s+1\s+1\s+3\s+3\s+3\s+80%/u);
    assert.match(rows[2]!, /as retrieved, without passages seen before\s+1\s+2\s+3\s+3\s+4\s+53\.3%/u);
    assert.equal(rows.length, 7);
  });

  test('without perspectives it shows the searches and where to add perspectives', async () => {
    await show('unlabelled');
    assert.match(await text(id('no-perspectives')), /has no perspectives yet/u);
    await id('inspect').click();
    assert.deepEqual(await lastSent(), {
      type: 'inspect',
      query: 'Should the town library open on Sundays?',
    });
  });
});

async function assertText(words: string): Promise<void> {
  assert.equal(await panel.page.getByText(words).count(), 1);
}
