/** The compare panel, in the editor area. */
import type { Page } from 'playwright-core';
import { PanelFrame } from './panel-frame.ts';

export class Compare extends PanelFrame {
  constructor(page: Page) {
    super(page, 'editor area');
  }

  /** Runs the chosen pipelines and waits for the table. */
  async run(): Promise<void> {
    await this.getByTestId('compare-run').click();
    await this.getByTestId('compare-table').waitFor();
  }

  /** The text of a pipeline's row in the overview. */
  async row(pipeline: string): Promise<string> {
    return this.getByTestId(`row-${pipeline}`).innerText();
  }
}
