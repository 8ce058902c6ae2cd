/** What the user is looking at: the only state that the panel owns. */
import type { FromMap, MapState } from '../../src/shared/panels/map-panel.ts';
import { SILENCE } from '../components/announcement.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';

export interface Draft extends PanelDraft {
  /** Id of the passage that the pointer or the keyboard is on. */
  readonly on: string | undefined;
}

export const EMPTY_DRAFT: Draft = { on: undefined, announcement: SILENCE, outdated: false };

export type Actions = PanelActions<Draft, FromMap>;
export type DrawnMap = NonNullable<MapState['map']>;
export type Point = DrawnMap['passages'][number];

export interface Context {
  readonly state: MapState;
  readonly draft: Draft;
  readonly actions: Actions;
}

/** With something to draw. */
export interface DrawnContext extends Context {
  readonly map: DrawnMap;
}
