/** The Testing view: every eval set with its queries. */
import type { Locator, Page } from 'playwright-core';

export type Outcome = 'passed' | 'failed' | 'errored' | 'skipped';

export class Testing {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  item(label: string | RegExp): Locator {
    return this.#page.locator('.test-explorer .monaco-list-row').filter({ hasText: label }).first();
  }

  /** The item, once it has this outcome. */
  outcome(label: string | RegExp, outcome: Outcome): Locator {
    return this.item(label).filter({ has: this.#page.locator(icon(outcome)) });
  }

  /** Items whose last run failed, sets before their queries. */
  failed(): Locator {
    const rows = this.#page.locator('.test-explorer .monaco-list-row');
    return rows.filter({ has: this.#page.locator(icon('failed')) });
  }

  /** Items with outdated results. */
  outdated(): Locator {
    return this.#page.locator('.test-explorer .computed-state.retired');
  }

  /** Shows the queries of a set. */
  async unfold(label: string): Promise<void> {
    const item = this.item(label);
    await item.waitFor();
    if ((await item.getAttribute('aria-expanded')) !== 'true')
      await item.locator('.monaco-tl-twistie').click();
  }

  /** Presses the button above the output of a failure. */
  async openFailure(): Promise<void> {
    await this.#page.locator('.monaco-editor .zone-widget').getByText('Open in Parallax').first().click();
  }

  async runAll(): Promise<void> {
    await this.#page
      .getByRole('button', { name: /^Run Tests/ })
      .first()
      .click();
  }
}

function icon(outcome: Outcome): string {
  return `.codicon-testing-${outcome === 'errored' ? 'error' : outcome}-icon`;
}
