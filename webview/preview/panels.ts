/** The panels to look at, each with its states and the colour behind it. */
import { COMPARE_FIXTURES } from './compare-fixtures.ts';
import { FIXTURES } from './fixtures.ts';

export const PANELS = {
  inspector: { fixtures: FIXTURES, background: 'sideBar-background', widths: [260, 360, 800] },
  compare: { fixtures: COMPARE_FIXTURES, background: 'editor-background', widths: [700, 1100, 1500] },
} as const;
export type PanelName = keyof typeof PANELS;
