/** The side panel: a web page in a frame in a frame of the editor's window. */
import type { FrameLocator, Locator, Page } from 'playwright-core';

const EXTENSION = 'parallax.parallax-rag';

export class Inspector {
  readonly frame: FrameLocator;

  constructor(page: Page) {
    // Locators are looked up anew each time, so they survive a reload of the window or of the view.
    this.frame = page
      .frameLocator(`iframe.webview[src*="extensionId=${EXTENSION}"][src*="purpose=webviewView"]`)
      .frameLocator('#active-frame');
  }

  getByTestId(id: string): Locator {
    return this.frame.getByTestId(id);
  }

  getByRole(...args: Parameters<FrameLocator['getByRole']>): Locator {
    return this.frame.getByRole(...args);
  }
}
