/** The panels to look at, each with its states and the colour behind it. */
import type { ToCompare } from '../../src/features/compare/contract/panel.ts';
import type { ToHistory } from '../../src/features/history/contract/panel.ts';
import { COMPARE_FIXTURES, type CompareFixture } from './compare-fixtures.ts';
import { DRAFTS_FIXTURES } from './drafts-fixtures.ts';
import { FIXTURES } from './fixtures.ts';
import { MAP_FIXTURES } from './map-fixtures.ts';
import { REVIEW_FIXTURES } from './review-fixtures.ts';
import { RUN_FIXTURES } from './run-fixtures.ts';
import { HISTORY_FIXTURES, type HistoryFixture } from './history-fixtures.ts';

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
  history: {
    fixtures: HISTORY_FIXTURES,
    background: 'editor-background',
    widths: [500, 1100],
    messages: historyMessages,
  },
  building: {
    fixtures: DRAFTS_FIXTURES,
    background: 'editor-background',
    widths: [300, 700, 1360],
    messages: (state: unknown) => [{ type: 'state', state }],
  },
  capture: {
    fixtures: RUN_FIXTURES,
    background: 'editor-background',
    widths: [300, 700, 1360],
    messages: (state: unknown) => [{ type: 'state', state }],
  },
  review: {
    fixtures: REVIEW_FIXTURES,
    background: 'editor-background',
    widths: [300, 700, 1360],
    messages: (state: unknown) => [{ type: 'state', state }],
  },
  map: {
    fixtures: MAP_FIXTURES,
    background: 'editor-background',
    widths: [300, 700, 1360],
    messages: (state: unknown) => [{ type: 'state', state }],
  },
} as const;
export type PanelName = keyof typeof PANELS;

/** Answers of the extension host to `ready`: a comparison comes before the state that shows it. */
function compareMessages(fixture: unknown): ToCompare[] {
  const { state, comparison } = fixture as CompareFixture;
  return [...(comparison ? [{ type: 'comparison', comparison } as const] : []), { type: 'state', state }];
}

/** Runs go before the state that counts them. */
function historyMessages(fixture: unknown): ToHistory[] {
  const { state, runs } = fixture as HistoryFixture;
  const { revision } = state;
  const sent: ToHistory[] = runs ? [{ type: 'runs', revision, runs: [...runs] }] : [];
  return [...sent, { type: 'state', state }];
}
