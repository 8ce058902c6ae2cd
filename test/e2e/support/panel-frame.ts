/** A panel of Parallax in the editor's window: a web page in two nested frames. */
import type { FrameLocator, Locator, Page } from 'playwright-core';

const PAGE = 'iframe.webview[src*="extensionId=parallax.parallax-rag"]';
const IN_SIDE_BAR = '[src*="purpose=webviewView"]';

export class PanelFrame {
  readonly frame: FrameLocator;

  constructor(page: Page, place: 'side bar' | 'editor area') {
    // Locators are resolved on each use, so they survive a reload of the window or of the view.
    this.frame = page
      .frameLocator(place === 'side bar' ? PAGE + IN_SIDE_BAR : `${PAGE}:not(${IN_SIDE_BAR})`)
      .frameLocator('#active-frame');
  }

  getByTestId(id: string | RegExp): Locator {
    return this.frame.getByTestId(id);
  }
}
