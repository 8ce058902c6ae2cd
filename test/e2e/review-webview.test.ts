/** The review in Chromium: what it shows, what single keys send, and whether it is accessible. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromReviewSchema } from '../../src/features/review/contract/panel.ts';
import { REVIEW_FIXTURES } from '../panels/review-fixtures.ts';
import { text } from './support/panel-page.ts';
import { panelSuite } from './support/panel-suite.ts';

const { panel, page, id, show } = await panelSuite('review', {
  accepts: fromReviewSchema,
  ready: '.review',
  widths: [300, 700, 1360],
});

test('a pair is a text to read: statement, question, and the passage once, with what is quoted', async () => {
  await show('pair');
  const pair = REVIEW_FIXTURES.pair.pair!;
  assert.equal(await text(id('perspective')), pair.perspective);
  const whole = await text(page.locator('body'));
  assert.equal(whole.split('served from the copy').length, 2, 'the passage is shown once');
  assert.doesNotMatch(whole, /^#|^- |\*\*/mu);
  const quoted = async (side: string): Promise<string> =>
    (await id('passage').locator(`mark[data-side=${side}]`).allInnerTexts()).join('');
  assert.match(await quoted('yes'), /^An update cannot be cancelled once it has begun/u);
  assert.match(await quoted('no'), /cancelled once it has begun: the server answers/u);
  assert.match(whole, /Debate: debate · Round 2/u);
  assert.match(whole, /Unsure Ann: It says that it cannot, not why\./u);
  await id('open').click();
  assert.deepEqual(await panel.sent(), [{ type: 'open' }]);
});

test('single keys answer, and the buttons show them', async () => {
  await show('pair');
  await page.waitForFunction(() => document.activeElement?.className === 'review');
  for (const key of ['y', 'n', 'u', 's', 'z']) await page.keyboard.press(key);
  await page.keyboard.press('Control+y');
  await id('review-note').click();
  const steps = ['yes', 'no', 'unsure', 'skip', 'undo', 'note'];
  assert.deepEqual(
    await panel.sent(),
    steps.map((step) => ({ type: 'step', step })),
  );
  for (const [step, key] of Object.entries({ yes: 'Y', no: 'N', unsure: 'U', skip: 'S', undo: 'Z' }))
    assert.match(await text(id(`review-${step}`)), new RegExp(` ${key}$`, 'u'));
});

test('statement and keys stay in view at the end of a long passage', async () => {
  await show('long');
  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight }));
  await page.waitForFunction(() => scrollY > 500);
  const { y, height } = (await id('review-yes').boundingBox())!;
  assert.ok(y >= 0 && y + height < 300, String(y));
});

test('the next pair is read from its beginning and announced; at the end only undo is left', async () => {
  await show('long');
  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight }));
  await panel.post({ type: 'state', state: REVIEW_FIXTURES.next });
  assert.equal(await text(id('announcer')), '2 pairs left. Updates can be stopped.');
  assert.equal(await page.evaluate(() => scrollY), 0);
  assert.equal(await text(id('note')), 'Your note: Odd.');
  await panel.post({ type: 'state', state: REVIEW_FIXTURES.end });
  assert.match(await text(id('review-end')), /2 answers given\..*1 pair waits for other people\./u);
  await page.waitForFunction(() => document.activeElement?.className === 'review');
  for (const key of ['y', 's', 'z']) await page.keyboard.press(key);
  assert.deepEqual(await panel.sent(), [{ type: 'step', step: 'undo' }]);
});
