/** The side panel of the editor. */
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { PanelFrame } from './panel-frame.ts';

const SUPPORTS = '●';

export class Inspector extends PanelFrame {
  constructor(page: Page) {
    super(page, 'side bar');
  }

  getByRole(...args: Parameters<FrameLocator['getByRole']>): Locator {
    return this.frame.getByRole(...args);
  }

  /** Indexes the corpus and waits until questions can be asked. */
  async index(): Promise<void> {
    await this.getByTestId('index-button').click();
    await this.getByTestId('query').waitFor();
  }

  /** Types a question, searches, and waits for its answer. */
  async ask(question: string): Promise<void> {
    const query = this.getByTestId('query');
    await query.fill(question);
    await query.press('Enter');
    await this.getByTestId('task-search').waitFor({ state: 'hidden' });
    await this.getByTestId('result-1').waitFor();
  }

  /** Opens the fold with figures, matrix and sliders. */
  async showMore(): Promise<void> {
    await this.getByTestId('more').locator('> summary').click();
    await this.getByTestId('search-kind').waitFor();
  }

  /** Waits for a coverage such as "2 of 3". */
  async coverageBecomes(value: RegExp): Promise<void> {
    await this.getByTestId('metric-covered').locator('.value', { hasText: value }).waitFor();
  }

  /** The large figure of a metric and the words under it, for example "60%" and "3 of 5 passages". */
  async metric(
    name: 'mrecall' | 'precision' | 'judged',
  ): Promise<{ name: string; value: string; note: string }> {
    const metric = this.getByTestId(`metric-${name}`);
    return {
      name: await metric.locator('dt').innerText(),
      value: await metric.locator('.value').innerText(),
      note: await metric.locator('.muted').innerText(),
    };
  }

  /** The coverage matrix: for each perspective, at which ranks a passage supports it. */
  async support(): Promise<boolean[][]> {
    const rows = await this.getByTestId('coverage-matrix').locator('tbody tr').all();
    return Promise.all(
      rows.map(async (row) => {
        const marks = await row.locator('td').allInnerTexts();
        return marks.map((mark) => mark.trim() === SUPPORTS);
      }),
    );
  }
}
