/** The editor's own window, as a user sees it. */
import { errors, type Locator, type Page } from 'playwright-core';
import { THEMES, type Theme } from './editor.ts';

const PATIENCE = 300_000;
const ATTEMPT = 2_000;
const MENU_PRESS = 150;

/** Runs in the page. Underlines are drawn below the text, in a separate layer. `undefined` while there are none. */
function underlinedLines(): string[] | undefined {
  const marks = document.querySelectorAll(
    '.editor-instance .view-overlays [class*="TextEditorDecorationType"]',
  );
  const tops = Array.from(marks).flatMap((mark) =>
    getComputedStyle(mark).borderBottomStyle === 'none' ? [] : [mark.getBoundingClientRect().top],
  );
  const lines = Array.from(document.querySelectorAll<HTMLElement>('.editor-instance .view-line'));
  const found = lines.filter((line) =>
    tops.some((top) => Math.abs(top - line.getBoundingClientRect().top) < 1),
  );
  return found.length > 0 ? found.map(({ innerText }) => innerText) : undefined;
}

export class Workbench {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async ready(timeout: number): Promise<void> {
    await this.#page.locator('.monaco-workbench .activitybar .action-item').first().waitFor({ timeout });
  }

  /** Runs a command by its full title, for example "Parallax: Index Corpus". */
  async runCommand(title: string): Promise<void> {
    await this.pick('>', title);
  }

  /** Shows a view by its name, for example "Ask", or a container's, for example "Parallax". */
  async openView(name: string): Promise<void> {
    await this.pick('view ', name);
  }

  async openFile(name: string): Promise<void> {
    await this.pick('', name);
  }

  async changeTheme(theme: Theme): Promise<void> {
    for (const until = Date.now() + PATIENCE; ;) {
      await this.runCommand('Preferences: Color Theme');
      if (await this.#choose(THEMES[theme])) break;
      if (Date.now() > until) throw new Error(`There is no theme "${THEMES[theme]}".`);
    }
    const kind = {
      light: 'vs',
      dark: 'vs-dark',
      'high-contrast': 'hc-black',
      'high-contrast-light': 'hc-light',
    };
    await this.#page.locator(`.monaco-workbench.${kind[theme]}`).waitFor();
  }

  /** Drags the border of the side bar. */
  async widenSideBar(width: number): Promise<void> {
    const bar = await this.#page.locator('.part.sidebar').boundingBox();
    if (!bar) throw new Error('The side bar is hidden.');
    const middle = bar.y + bar.height / 2;
    await this.#page.mouse.move(bar.x + bar.width, middle);
    await this.#page.mouse.down();
    await this.#page.mouse.move(bar.x + width, middle, { steps: 10 });
    await this.#page.mouse.up();
  }

  /** The lines of the active text editor that an extension underlines, once there are some. */
  async underlinedLines(): Promise<string[]> {
    const found = await this.#page.waitForFunction(underlinedLines);
    return (await found.jsonValue()) ?? [];
  }

  /** Moves the pointer away, and closes commands and hints. */
  async atRest(): Promise<void> {
    await this.#page.mouse.move(0, 0);
    for (const passing of ['.quick-input-widget', '.workbench-hover-container'])
      await this.#page.locator(passing).first().waitFor({ state: 'hidden' });
  }

  /** The visible messages. */
  async notifications(): Promise<string[]> {
    return this.#page.locator('.notifications-toasts .notification-list-item-message').allInnerTexts();
  }

  notification(text: string | RegExp): Locator {
    return this.#page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text });
  }

  /** Presses a button of the modal dialog, once its text matches. */
  async answerDialog(text: RegExp, button: string): Promise<void> {
    const dialog = this.#page.locator('.monaco-dialog-box').filter({ hasText: text });
    await dialog.getByRole('button', { name: button, exact: true }).click();
  }

  /** The title of a view in the side bar; for a single view, the title of the bar. */
  sideBarView(name: string): Locator {
    return this.#page
      .locator('.part.sidebar :is(.pane-header:not(.hidden), .composite.title)')
      .filter({ hasText: name });
  }

  /** Takes an entry of the menu in the title of a view of the side bar. */
  async chooseInTitle(view: string, entry: string): Promise<void> {
    const title = this.sideBarView(view);
    await title.hover();
    await title.getByRole('button', { name: /More Actions/ }).click();
    await this.chooseInMenu(entry);
  }

  /** Takes an entry of the open menu, which ignores a click until it has been open for a moment. */
  async chooseInMenu(entry: string | RegExp): Promise<void> {
    const item = this.#page.getByRole('menuitem', { name: entry });
    await item.waitFor();
    for (const until = Date.now() + PATIENCE; await item.isVisible();) {
      if (Date.now() > until) throw new Error(`The menu does not take "${entry}".`);
      try {
        await item.click({ delay: MENU_PRESS, timeout: ATTEMPT });
      } catch (error) {
        // The menu closes once the entry is taken.
        if (!(error instanceof errors.TimeoutError)) throw error;
      }
    }
  }

  /** The tab of an open editor. */
  tab(name: string | RegExp): Locator {
    return this.#page.locator('.tabs-container .tab').filter({ hasText: name });
  }

  /** The errors marked in the active text editor. */
  problem(): Locator {
    return this.#page.locator('.editor-instance .squiggly-error');
  }

  /** The lenses above a line of the active text editor. */
  lens(text: RegExp): Locator {
    return this.#page.locator('.editor-instance .codelens-decoration a').filter({ hasText: text });
  }

  /** Moves the cursor to a line of the active text editor, counted from 1, and shows it. */
  async goToLine(line: number): Promise<void> {
    await this.#page.keyboard.press('F1');
    await this.#input().fill(`:${line}`);
    const entry = this.#page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ hasText: `line ${line}` });
    await entry.first().click();
    await this.#input().waitFor({ state: 'hidden' });
  }

  /** Chooses the entry with exactly this label of the open list. */
  async chooseEntry(label: string): Promise<void> {
    await this.#entry(label).click();
  }

  /** Types into the input with this title, or keeps its proposal if there is no text, and confirms it. */
  async answerInput(title: string, text: string | undefined): Promise<void> {
    await this.#page.locator('.quick-input-title').getByText(title, { exact: true }).waitFor();
    // Secrets have an input of another type.
    if (text !== undefined) await this.#page.locator('.quick-input-widget .quick-input-box input').fill(text);
    await this.#page.keyboard.press('Enter');
  }

  /** Waits until the active text editor shows a text. The editor writes spaces as no-break spaces. */
  async waitForText(text: string): Promise<void> {
    const pattern = new RegExp(text.split(/\s+/).map(escape).join('[\\s\\u00a0]+'));
    await this.#page.locator('.editor-instance .view-lines').filter({ hasText: pattern }).first().waitFor();
  }

  /**
   * Types into the quick input after a prefix and chooses the entry with exactly this label. Extensions contribute
   * their entries some time after the window opened, so the input is opened again until there is one.
   */
  async pick(prefix: string, label: string): Promise<void> {
    for (const until = Date.now() + PATIENCE; ;) {
      await this.#page.keyboard.press('Escape');
      await this.#page.keyboard.press('F1');
      if (await this.#choose(label, prefix)) return;
      if (Date.now() > until) throw new Error(`The quick input offers no "${label}".`);
    }
  }

  /** Returns false if there is no such entry, or if the input was closed because something else took the focus. */
  async #choose(label: string, prefix = ''): Promise<boolean> {
    try {
      await this.#input().fill(prefix + label, { timeout: ATTEMPT });
      await this.#entry(label).click({ timeout: ATTEMPT });
    } catch (error) {
      if (error instanceof errors.TimeoutError) return false;
      throw error;
    }
    return true;
  }

  #entry(label: string): Locator {
    return this.#page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.#page.locator('.label-name').getByText(label, { exact: true }) })
      .first();
  }

  #input(): Locator {
    return this.#page.locator('.quick-input-widget input[type="text"]');
  }
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
