/** The history panel, in the editor area. */
import type { Page } from 'playwright-core';
import { PanelFrame } from './panel-frame.ts';

export class History extends PanelFrame {
  constructor(page: Page) {
    super(page, 'editor area');
  }

  /** @param place of the run, from 0 for the newest */
  async pickRun(place: number): Promise<void> {
    await this.getByTestId('runs').locator('tbody').nth(place).getByRole('checkbox').check();
  }
}
