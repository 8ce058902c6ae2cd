/** The compare panel: a web page in a frame in a frame, in the editor area. */
import type { FrameLocator, Locator, Page } from 'playwright-core';

const EXTENSION = 'parallax.parallax-rag';

export class Compare {
  readonly frame: FrameLocator;

  constructor(page: Page) {
    this.frame = page
      .frameLocator(`iframe.webview[src*="extensionId=${EXTENSION}"]:not([src*="purpose=webviewView"])`)
      .frameLocator('#active-frame');
  }

  getByTestId(id: string | RegExp): Locator {
    return this.frame.getByTestId(id);
  }

  /** Runs the chosen pipelines and waits for the table. */
  async run(): Promise<void> {
    await this.getByTestId('compare-run').click();
    await this.getByTestId('compare-table').waitFor();
  }

  /** Everything that a pipeline's row of the overview says. */
  async row(pipeline: string): Promise<string> {
    return this.getByTestId(`row-${pipeline}`).innerText();
  }
}
