/**
 * A panel's real bundle on a page, with a typed stand-in for the extension host: the parts of a test that are the same
 * for all panels.
 */
import assert from 'node:assert/strict';
import type { Browser, Locator, Page } from 'playwright-core';
import { PANELS, type PanelName } from '../../panels/panels.ts';
import { launchBrowser, servePreview, type PageLanguage, type PreviewServer } from '../panel-preview.ts';

const NAMED_ROLES = new Set([
  ...[
    'button',
    'combobox',
    'textbox',
    'option',
    'link',
    'checkbox',
    'radio',
    'progressbar',
    'progressIndicator',
  ],
  ...['DisclosureTriangle', 'region', 'image', 'img', 'table', 'rowheader', 'columnheader', 'heading'],
]);

/** Default names of the control library for unnamed controls. */
const DEFAULT_NAMES = new Set(['Icon Button', 'Text field', 'Text area']);

export class PanelPage<Message extends { type: string }> {
  readonly page: Page;
  readonly #panel: PanelName;
  readonly #parse: (message: unknown) => Message;
  readonly #server: PreviewServer;
  readonly #browser: Browser;
  /** Problems on the page: script errors, refused styles, failed requests. */
  #problems: string[] = [];

  private constructor(
    panel: PanelName,
    parse: (message: unknown) => Message,
    server: PreviewServer,
    browser: Browser,
    page: Page,
  ) {
    [this.#panel, this.#parse, this.#server, this.#browser, this.page] = [
      panel,
      parse,
      server,
      browser,
      page,
    ];
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => this.#problems.push(error.message));
    page.on('console', (message) => {
      // The browser requests an icon by itself.
      if (['error', 'warning'].includes(message.type()) && !message.location().url.endsWith('/favicon.ico'))
        this.#problems.push(message.text());
    });
  }

  /** @param parse throws on what the extension host would refuse */
  static async open<Message extends { type: string }>(
    panel: PanelName,
    parse: (message: unknown) => Message,
    language?: PageLanguage,
  ): Promise<PanelPage<Message>> {
    const [server, browser] = await Promise.all([servePreview(0, language), launchBrowser()]);
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    return new PanelPage(panel, parse, server, browser, await context.newPage());
  }

  async close(): Promise<void> {
    await Promise.all([this.#browser.close(), this.#server.close()]);
  }

  /** Fails if there were problems on the page since the last call, and clears the panel's stored state. */
  async endTest(): Promise<void> {
    await this.page.evaluate(() => sessionStorage.clear());
    assert.deepEqual(this.#problems.splice(0), []);
  }

  /** Problems on the page since the last call, for a test that expects them. */
  takeProblems(): string[] {
    return this.#problems.splice(0);
  }

  byId(testId: string): Locator {
    return this.page.getByTestId(testId);
  }

  /** Loads the panel in a fixture state, and waits until one of `ready` is drawn. */
  async show(state: string, theme: string, ready: string): Promise<void> {
    await this.page.goto(this.#server.url(this.#panel, state, theme));
    await this.page.locator('h1').waitFor({ state: 'attached' });
    const fixtures: Readonly<Record<string, unknown>> = PANELS[this.#panel].fixtures;
    if (fixtures[state]) await this.page.locator(ready).first().waitFor();
  }

  /** Messages since the panel was ready. Each must match the schema of the extension host. */
  async sent(): Promise<Message[]> {
    const messages = await this.page.evaluate(() => preview.sent as unknown[]);
    assert.deepEqual(messages[0], { type: 'ready' });
    return messages.slice(1).map((message) => this.#parse(message));
  }

  /** Posts something to the page, as the extension host would, and waits until it has arrived. */
  async post(message: unknown): Promise<void> {
    await this.page.evaluate(async (data) => {
      preview.post(data);
      await new Promise((resolve) => setTimeout(resolve));
    }, message);
  }

  focusedTestId(): Promise<string | undefined> {
    return this.page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['testid']);
  }

  /** Opens every disclosure, also nested ones, and waits until the controls in them are drawn. */
  async unfoldAll(): Promise<void> {
    await this.page.evaluate(async () => {
      const DEPTH = 3;
      const folded = '.twistie[aria-expanded=false], details:not([open]) > summary';
      for (let depth = 0; depth < DEPTH; depth++) {
        for (const one of document.querySelectorAll<HTMLElement>(folded)) one.click();
        for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
      }
    });
  }

  /** Fails if the page is wider than the view at any of these widths. */
  async assertFits(widths: readonly number[]): Promise<void> {
    for (const width of widths) {
      await this.page.setViewportSize({ width, height: 700 });
      const { scrolled, visible } = await this.page.evaluate(() => ({
        scrolled: document.documentElement.scrollWidth,
        visible: document.documentElement.clientWidth,
      }));
      assert.ok(scrolled <= visible, `${scrolled} px of content in ${visible} px`);
    }
  }

  /** Fails if a control, a picture or a heading has no accessible name. */
  async assertNamed(): Promise<void> {
    const client = await this.page.context().newCDPSession(this.page);
    const { nodes } = await client.send('Accessibility.getFullAXTree');
    const nameless = nodes
      .filter((node) => !node.ignored)
      .map((node) => ({ role: String(node.role?.value ?? ''), name: String(node.name?.value ?? '') }))
      .filter(({ role, name }) => NAMED_ROLES.has(role) && (name.trim() === '' || DEFAULT_NAMES.has(name)));
    assert.deepEqual(nameless, []);
  }

  /** Fails if headings skip a level, if there is not exactly one of level 1, or if an id occurs twice. */
  async assertOutline(): Promise<void> {
    // Not by a locator, which would also search the shadow roots of controls, whose ids are separate.
    const { levels, ids } = await this.page.evaluate(() => ({
      levels: Array.from(document.querySelectorAll('h1, h2, h3, h4'), (one) => Number(one.tagName[1])),
      ids: Array.from(document.querySelectorAll('[id]'), (one) => one.id),
    }));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.forEach((level, index) =>
      assert.ok(level <= (levels[index - 1] ?? 0) + 1, `h${level} at ${index}`),
    );
    assert.deepEqual(
      ids.filter((one, index) => ids.indexOf(one) !== index),
      [],
    );
  }
}

/** The visible words, with single spaces. */
export async function text(locator: Locator): Promise<string> {
  return (await locator.innerText()).replace(/\s+/g, ' ').trim();
}
