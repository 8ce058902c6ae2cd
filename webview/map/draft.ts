/** The user's view of the map: the only state that the panel owns. */
import type { FromMap, MapState } from '../../src/shared/panels/map-panel.ts';
import { SILENCE } from '../components/announcement.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';

export interface Draft extends PanelDraft {
  /** Slot of the passage that the pointer or the keyboard is on. */
  readonly on: number | undefined;
  /** Dragging encircles instead of moving the map. */
  readonly encircling: boolean;
  /** Slots of the passages that were encircled, candidates first. */
  readonly chosen: readonly number[];
  /** The place of the perspective that they are labelled for. */
  readonly perspective: number;
  /** Of a new perspective, as far as it is typed. */
  readonly text: string;
}

export const EMPTY_DRAFT: Draft = {
  on: undefined,
  encircling: false,
  chosen: [],
  perspective: 0,
  text: '',
  announcement: SILENCE,
};

export type Actions = PanelActions<Draft, FromMap>;
export type DrawnMap = NonNullable<MapState['map']>;
export type Passage = MapState['looked'][number];

export interface Context {
  readonly state: MapState;
  readonly draft: Draft;
  readonly actions: Actions;
}

/** With something to draw. */
export interface DrawnContext extends Context {
  readonly map: DrawnMap;
}

/** The passages that can be told by their words: those drawn as signs, and those of the sample that were looked at. */
export function knownPassages({ map, state }: Pick<DrawnContext, 'map' | 'state'>): Map<number, Passage> {
  return new Map([...state.looked, ...map.passages].map((passage) => [passage.slot, passage]));
}
