/** The review of drafts in Chromium: what it shows, what single keys send, and whether it is accessible. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromDraftsSchema } from '../../src/features/building/contract/panel.ts';
import { DRAFTS_FIXTURES } from '../panels/drafts-fixtures.ts';
import { text } from './support/panel-page.ts';
import { panelSuite } from './support/panel-suite.ts';

const { panel, page, id, show } = await panelSuite('building', {
  accepts: fromDraftsSchema,
  ready: '.top, .welcome',
  widths: [300, 899, 901, 1360],
});

test('a draft is shown with its perspectives, their passages, and the number of drafts left', async () => {
  await show('reviewing');
  assert.equal(await text(id('drafts-left')), '2 drafts wait for you');
  assert.equal(await text(id('drafts-tally')), '1 accepted · 1 rejected · 1 left out as personal');
  assert.match(await text(id('draft-question')), /charge cars/u);
  assert.match(
    await text(id('draft-p1')),
    /^A A charge clears .* supports .*Traffic in the centre In the first year/u,
  );
  assert.match(await text(id('draft-p3')), /No passage is behind it/u);
});

test('a perspective names its passages, or says that it was expected and not found', async () => {
  await show('suggested');
  assert.equal(await text(id('from-p1')), 'From evaluation › Traffic, night-shift');
  assert.match(await text(id('from-p3')), /^Expected by the model, but not found/u);
  assert.equal(await id('from-p2').count(), 0);
  await id('reject-with-reason').click();
  assert.deepEqual(await panel.sent(), [{ type: 'reject-with-reason', id: 'd-2' }]);
});

test('single keys answer a draft', async () => {
  await show('reviewing');
  await page.waitForFunction(() => document.activeElement?.className === 'draft-card');
  for (const key of ['a', 'r', 'w', 's', 'z']) await page.keyboard.press(key);
  await page.keyboard.press('Control+a');
  assert.deepEqual(await panel.sent(), [
    { type: 'review', id: 'd-2', review: 'accepted' },
    { type: 'review', id: 'd-2', review: 'rejected' },
    { type: 'reject-with-reason', id: 'd-2' },
    { type: 'skip' },
    { type: 'undo' },
  ]);
});

test('keys do nothing while typing; Enter keeps the new text, Escape the old one', async () => {
  await show('reviewing');
  await page.waitForFunction(() => document.activeElement?.className === 'draft-card');
  await page.keyboard.press('e');
  await id('question').locator('textarea').fill('A rare zest?');
  await id('remove-words-2').click();
  await id('add-words').click();
  await page.keyboard.type('Razed areas.');
  await page.keyboard.press('Enter');
  assert.deepEqual(await panel.sent(), [
    {
      type: 'reword',
      id: 'd-2',
      text: 'A rare zest?',
      perspectives: [
        ...DRAFTS_FIXTURES.reviewing
          .current!.perspectives.slice(0, 2)
          .map((each) => ({ id: each.id, text: each.text })),
        { text: 'Razed areas.' },
      ],
    },
  ]);
  await id('edit-draft').click();
  await page.keyboard.type('x');
  await page.keyboard.press('Escape');
  assert.equal(await text(id('draft-question')), DRAFTS_FIXTURES.reviewing.current!.text);
  assert.equal((await panel.sent()).length, 1);
});

test('a draft without perspectives cannot be accepted, and any draft can be revisited', async () => {
  await show('bare');
  await page.waitForFunction(() => document.activeElement?.className === 'draft-card');
  await page.keyboard.press('a');
  assert.equal(await id('accept-draft').getAttribute('disabled'), '');
  await id('row-d-4').click();
  assert.deepEqual(await panel.sent(), [{ type: 'show', id: 'd-4' }]);
});

test('the next draft is announced, and accepted drafts join an eval set at the end', async () => {
  await show('reviewing');
  await panel.post({ type: 'state', state: DRAFTS_FIXTURES.done });
  assert.equal(await text(id('announcer')), '0 drafts wait for you');
  assert.match(await text(id('drafts-done')), /Every draft is reviewed/u);
  await id('add-accepted').click();
  assert.deepEqual(await panel.sent(), [{ type: 'add-accepted' }]);
});
