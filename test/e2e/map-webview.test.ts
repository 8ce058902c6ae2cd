/** The map's real bundle in Chromium: what it shows, what it sends, and whether everybody can use it. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { fromMapSchema, type FromMap } from '../../src/shared/panels/map-panel.ts';
import { MAP_FIXTURES } from '../../webview/preview/map-fixtures.ts';
import { PanelPage, text } from './support/panel-page.ts';

type State = keyof typeof MAP_FIXTURES;

let panel: PanelPage<FromMap>;
let page: Page;

before(async () => {
  panel = await PanelPage.open('map', (message) => fromMapSchema.parse(message));
  page = panel.page;
});
after(() => panel?.close());
beforeEach(() => page.setViewportSize({ width: 1100, height: 900 }));
afterEach(() => panel.endTest());

const id = (testId: string): Locator => panel.byId(testId);
const show = (state: State, theme = 'dark'): Promise<void> => panel.show(state, theme, '.top, .welcome');
const lastSent = async (): Promise<FromMap | undefined> => (await panel.sent()).at(-1);

for (const state of Object.keys(MAP_FIXTURES).filter((name) => name !== 'starting') as State[])
  test(`“${state}” fits from 300 to 1360 pixels, and names every control`, async () => {
    await show(state);
    await panel.assertFits([300, 599, 601, 999, 1001, 1360]);
    await panel.assertNamed();
  });

describe('a drawn map', () => {
  test('says that nearness is a hint, and how much of the differences it shows', async () => {
    await show('drawn');
    assert.match(await text(id('map-hint')), /only a hint: it shows 13\.7% .* by hashed words/u);
  });

  test('a point says its passage, and opens it', async () => {
    await show('drawn');
    const point = page.locator('[data-passage="docs/92.md#p1"] circle').first();
    await point.hover();
    assert.match(await text(id('map-detail')), /^report-92 › sleep unjudged Passage 92 speaks of sleep/u);
    await point.click();
    assert.deepEqual(await lastSent(), { type: 'open', passageId: 'docs/92.md#p1' });
  });

  test('the list says the same to the keyboard', async () => {
    await show('drawn');
    await id('map-list').getByRole('button', { name: 'report-4 › sleep', exact: true }).focus();
    assert.match(await text(id('map-detail')), /report-4 › sleep rank 2, supports A, C/u);
    assert.equal(await page.locator('.point.on').getAttribute('data-passage'), 'docs/4.md#p1');
    await page.keyboard.press('Enter');
    assert.deepEqual(await lastSent(), { type: 'open', passageId: 'docs/4.md#p1' });
  });

  test('outlines are chosen, and one that cannot be drawn says why', async () => {
    await show('drawn');
    assert.equal(await page.locator('svg.map polygon').count(), 2);
    await page.getByText('Dense could not be asked: The model is not there.').waitFor();
    await id('outline-Hybrid').click();
    assert.deepEqual(await lastSent(), { type: 'set-pipelines', names: ['Dense'] });
  });

  test('is saved as a picture that needs no styles', async () => {
    await show('drawn');
    await id('save-map').click();
    const sent = await lastSent();
    assert.ok(sent?.type === 'save-chart' && sent.format === 'svg');
    assert.match(sent.content, /<svg[^>]*xmlns=/u);
    assert.match(sent.content, /sleep · melatonin/u);
    assert.doesNotMatch(sent.content, /<circle (?![^>]*\br=)/u, 'every circle has its size');
    assert.match(sent.content, /<rect width="100%" height="100%" fill="rgb\(/u, 'and all stand on a ground');
  });
});
