/** The history panel: a web page in a frame in a frame, in the editor area. */
import type { FrameLocator, Locator, Page } from 'playwright-core';

const EXTENSION = 'parallax.parallax-rag';

export class History {
  readonly frame: FrameLocator;

  constructor(page: Page) {
    this.frame = page
      .frameLocator(`iframe.webview[src*="extensionId=${EXTENSION}"]:not([src*="purpose=webviewView"])`)
      .frameLocator('#active-frame');
  }

  getByTestId(id: string | RegExp): Locator {
    return this.frame.getByTestId(id);
  }

  /** @param place of the run, from 0 for the newest */
  async pickRun(place: number): Promise<void> {
    await this.getByTestId('runs').locator('tbody').nth(place).getByRole('checkbox').check();
  }
}
