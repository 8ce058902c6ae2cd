/** The panels to look at, each with its states and the colour behind it. */
import type { ToCompare } from '../../src/shared/compare.ts';
import { COMPARE_FIXTURES, type CompareFixture } from './compare-fixtures.ts';
import { FIXTURES } from './fixtures.ts';

export const PANELS = {
  inspector: {
    fixtures: FIXTURES,
    background: 'sideBar-background',
    widths: [260, 360, 800],
    messages: (state: unknown) => [{ type: 'state', state }],
  },
  compare: {
    fixtures: COMPARE_FIXTURES,
    background: 'editor-background',
    widths: [500, 900, 1400],
    messages: compareMessages,
  },
} as const;
export type PanelName = keyof typeof PANELS;

/** What the extension host answers to `ready`: a comparison goes before the state that shows it. */
function compareMessages(fixture: unknown): ToCompare[] {
  const { state, comparison } = fixture as CompareFixture;
  return [...(comparison ? [{ type: 'comparison', comparison } as const] : []), { type: 'state', state }];
}
