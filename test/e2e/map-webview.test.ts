/** The map's real bundle in Chromium: what it shows, what it sends, and whether it is accessible. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromMapSchema, type FromMap } from '../../src/features/map/contract/panel.ts';
import type { MapElement } from '../../webview/map/map-element.ts';
import { text } from './support/panel-page.ts';
import { panelSuite } from './support/panel-suite.ts';

const { panel, page, id, show } = await panelSuite('map', {
  accepts: fromMapSchema,
  ready: '.top, .welcome',
  widths: [300, 599, 601, 999, 1001, 1360],
});

const lastSent = async (): Promise<FromMap | undefined> => (await panel.sent()).at(-1);

describe('a drawn map', () => {
  test('says that nearness is a hint, and how much of the variance it shows', async () => {
    await show('drawn');
    assert.match(await text(id('map-hint')), /only a hint: it shows 13\.7% .* By hashed words/u);
  });

  test('a point shows its passage and opens it', async () => {
    await show('drawn');
    await page.mouse.move(...(await placeOf(92)));
    assert.match(await text(id('map-detail')), /^report-92 › sleep unjudged Passage 92 speaks of sleep/u);
    await page.mouse.down();
    await page.mouse.up();
    assert.deepEqual(await lastSent(), { type: 'open', passageId: 'docs/92.md#p1' });
  });

  test('the list offers the same to the keyboard and scrolls its selection into view', async () => {
    await show('drawn');
    const before = await pixels();
    await id('map-list').getByRole('button', { name: 'report-4 › sleep', exact: true }).focus();
    assert.match(await text(id('map-detail')), /report-4 › sleep rank 2, supports A, C/u);
    assert.notEqual(await pixels(), before, 'and is marked on the map');
    await page.keyboard.press('Enter');
    assert.deepEqual(await lastSent(), { type: 'open', passageId: 'docs/4.md#p1' });
    for (let times = 0; times < 8; times++) await id('zoom-in').click();
    await id('map-list').getByRole('button', { name: 'report-93 › bus', exact: true }).focus();
    const box = (await id('map').boundingBox())!;
    const [x, y] = await placeOf(93);
    assert.ok(x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height);
  });

  test('is dragged, enlarged, reduced and reset', async () => {
    await show('drawn');
    const [x, y] = await placeOf(92);
    const box = (await id('map').boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 50, { steps: 4 });
    await page.mouse.up();
    const moved = await placeOf(92);
    assert.deepEqual([Math.round(moved[0] - x), Math.round(moved[1] - y)], [40, 30]);
    assert.equal(await lastSent(), undefined, 'nothing is opened by that');
    await page.mouse.move(...moved);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    const larger = await placeOf(92);
    assert.ok(
      Math.hypot(larger[0] - moved[0], larger[1] - moved[1]) < 2,
      'what the pointer is on stays there',
    );
    await id('zoom-fit').click();
    const whole = await placeOf(92);
    assert.deepEqual(whole.map(Math.round), [x, y].map(Math.round));
  });

  test('encircled passages are listed, labelled with keys, and made into a perspective', async () => {
    await show('drawn');
    await id('encircle').click();
    await encircle([0, 4, 8]);
    const rows = id('chosen').locator('li');
    const listed = await rows.count();
    assert.ok(listed >= 3);
    assert.equal(await text(id('chosen').getByRole('heading')), `${listed} passages encircled`);
    assert.equal(await id('encircle').getAttribute('aria-pressed'), 'false');
    await rows.first().getByRole('button').first().focus();
    const slots = (await rows.locator('[data-testid$="-yes"]').all()).map((each) =>
      each.getAttribute('data-testid'),
    );
    const [first, second] = (await Promise.all(slots)).map((each) => Number(each!.split('-')[1]));
    await page.keyboard.press('y');
    assert.deepEqual(await lastSent(), { type: 'label', slot: first, perspective: 0, verdict: 'yes' });
    await page.keyboard.press('n');
    assert.deepEqual(await lastSent(), { type: 'label', slot: second, perspective: 0, verdict: 'no' });
    await id('new-perspective').locator('input').fill('Sleep is what it is about.');
    await page.keyboard.press('Enter');
    assert.deepEqual(await lastSent(), { type: 'add-perspective', text: 'Sleep is what it is about.' });
    await id('clear-chosen').click();
    assert.equal(await id('chosen').count(), 0);
  });

  test('a theme is listed by the keyboard', async () => {
    await show('drawn');
    await id('choose-theme-1').focus();
    await page.keyboard.press('Enter');
    assert.equal(await id('chosen').locator('li').count(), 24);
  });

  test('a sampled passage is requested when the pointer rests on it or it is encircled', async () => {
    await show('sampled');
    assert.match(await text(id('map-sampled')), /1,000 other passages, drawn at random from 2,000/u);
    await page.mouse.move(...(await placeOf(1900)));
    await page.waitForFunction(() => preview.sent.some((each) => (each as { type: string }).type === 'look'));
    assert.deepEqual(await lastSent(), { type: 'look', slots: [1900] });
    await page.mouse.move(...(await placeOf(1001)));
    assert.match(await text(id('map-detail')), /^other › Elsewhere unjudged Another passage/u);
    await page.keyboard.down('Shift');
    await encircle([1880, 1900, 1950]);
    await page.keyboard.up('Shift');
    const sent = await lastSent();
    assert.ok(sent?.type === 'look' && sent.slots.length > 0);
  });

  test('the sample is chosen, and drawing is stopped and restarted', async () => {
    await show('working');
    await id('map-stop').click();
    assert.deepEqual(await lastSent(), { type: 'cancel' });
    await show('stopped');
    await id('map-draw').click();
    assert.deepEqual(await lastSent(), { type: 'draw' });
    await id('map-sample').click();
    await page.getByRole('option', { name: 'up to 1,000 passages' }).click();
    assert.deepEqual(await lastSent(), { type: 'set-sample', sample: 1000 });
  });

  test('outlines are chosen, and one that cannot be drawn says why', async () => {
    await show('drawn');
    await page.getByText('Dense could not be asked: The model is not there.').waitFor();
    await id('outline-Hybrid').click();
    assert.deepEqual(await lastSent(), { type: 'set-pipelines', names: ['Dense'] });
  });

  test('is saved as a picture that needs no styles', async () => {
    await show('sampled');
    await id('save-svg').click();
    const svg = await lastSent();
    assert.ok(svg?.type === 'save-chart' && svg.format === 'svg');
    const kinds = await page.evaluate((content) => {
      const read = new DOMParser().parseFromString(content, 'image/svg+xml');
      const count = (name: string): number => read.querySelectorAll(name).length;
      return [read.documentElement.nodeName, count('polygon'), count('rect'), count('path')];
    }, svg.content);
    // Two outlines, three perspectives, three projections and the question; the ground; the sample.
    assert.deepEqual(kinds, ['svg', 9, 1, 1]);
    assert.match(svg.content, /sleep · melatonin/u);
    assert.match(svg.content, /<rect width="100%" height="100%" fill="rgb\(/u);
    await id('save-png').click();
    const png = await lastSent();
    assert.ok(png?.type === 'save-chart' && png.format === 'png');
    const bytes = Buffer.from(png.content, 'base64');
    assert.equal(bytes.subarray(1, 4).toString('latin1'), 'PNG');
    const { width } = (await id('map').boundingBox())!;
    assert.ok(Math.abs(bytes.readUInt32BE(16) - 2 * width) <= 4, 'twice as fine as on the screen');
  });

  test('is redrawn in the colours of another theme', async () => {
    await show('drawn', 'dark');
    const dark = await pixels();
    await show('drawn', 'light');
    assert.notEqual(await pixels(), dark);
  });
});

/** The position of a passage on the page. */
async function placeOf(slot: number): Promise<[number, number]> {
  const box = (await id('map').boundingBox())!;
  const place = await id('map').evaluate((map, wanted) => (map as MapElement).placeOf(wanted), slot);
  assert.ok(place);
  return [box.x + 1 + place.x, box.y + 1 + place.y];
}

/** Draws a line around passages. */
async function encircle(slots: readonly number[]): Promise<void> {
  const places = await Promise.all(slots.map(placeOf));
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  await page.mouse.move(left - 15, top - 15);
  await page.mouse.down();
  for (const [x, y] of [
    [right + 15, top - 15],
    [right + 15, bottom + 15],
    [left - 15, bottom + 15],
  ] as const)
    await page.mouse.move(x, y, { steps: 3 });
  await page.mouse.up();
}

/** The picture, once it has been drawn. */
async function pixels(): Promise<string> {
  return page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
    return document.querySelector('canvas')!.toDataURL();
  });
}
