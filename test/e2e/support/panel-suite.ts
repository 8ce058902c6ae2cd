/**
 * The frame of a test file about one panel: opens its page once, checks it after each test, and closes it at the end.
 */
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { z } from 'zod';
import { PANELS, type PanelName } from '../../panels/panels.ts';
import { PanelPage } from './panel-page.ts';

type State<Name extends PanelName> = Extract<keyof (typeof PANELS)[Name]['fixtures'], string>;

interface SuiteOptions<Name extends PanelName, Message> {
  /** Messages that the extension host takes from the panel. */
  readonly accepts: z.ZodType<Message>;
  /** A selector that matches once any state is drawn. */
  readonly ready: string;
  readonly width?: number;
  readonly height?: number;
  /** The widths at which each state must fit, in pixels, the narrowest first. */
  readonly widths: readonly number[];
  /** States that take too long to unfold. */
  readonly leftFolded?: readonly State<Name>[];
}

interface PanelSuite<Name extends PanelName, Message extends { type: string }> {
  readonly panel: PanelPage<Message>;
  readonly page: Page;
  id(testId: string): Locator;
  show(state: State<Name>, theme?: string): Promise<void>;
  /** Picks an entry of a list by its name. */
  choose(picker: string, label: string): Promise<void>;
}

/** Opens a panel for the tests of this file, and declares the tests that apply to every state. */
export async function panelSuite<Name extends PanelName, Message extends { type: string }>(
  name: Name,
  { accepts, ready, width = 1100, height = 900, widths, leftFolded = [] }: SuiteOptions<Name, Message>,
): Promise<PanelSuite<Name, Message>> {
  const panel = await PanelPage.open(name, (message) => accepts.parse(message));
  const { page } = panel;
  const size = { width, height };
  after(() => panel.close());
  beforeEach(() => page.setViewportSize(size));
  afterEach(() => panel.endTest());
  const id = (testId: string): Locator => panel.byId(testId);
  const show = (state: State<Name>, theme = 'dark'): Promise<void> => panel.show(state, theme, ready);

  describe('every state', () => {
    for (const state of Object.keys(PANELS[name].fixtures) as State<Name>[])
      test(`“${state}” fits, names every control, and has headings and ids in order`, async () => {
        await show(state);
        // An opened state contains the folded one. Long lines can overflow at the narrowest width only.
        const isOpened = !leftFolded.includes(state);
        await panel.assertFits(isOpened ? widths.slice(0, 1) : widths);
        if (isOpened) {
          await panel.unfoldAll();
          await panel.assertFits(widths);
        }
        await page.setViewportSize(size);
        await panel.assertNamed();
        await panel.assertOutline();
      });
  });

  return {
    panel,
    page,
    id,
    show,
    choose: async (picker, label) => {
      await id(picker).click();
      await id(picker).getByRole('option', { name: label, exact: true }).click();
    },
  };
}
