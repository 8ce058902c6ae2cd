/** The user's view of the map: the only state that the panel owns. */
import type { FromMap, MapState } from '../../src/features/map/contract/panel.ts';
import { SILENCE } from '../components/announcement.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';

export interface Draft extends PanelDraft {
  /** Slot of the passage under the pointer or with the focus. */
  readonly on: number | undefined;
  /** Whether dragging encircles passages instead of moving the map. */
  readonly encircling: boolean;
  /** Slots of the encircled passages, candidates first. */
  readonly chosen: readonly number[];
  /** Index of the perspective to label them for. */
  readonly perspective: number;
  /** The typed text of a new perspective. */
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

/** A context with a map to draw. */
export interface DrawnContext extends Context {
  readonly map: DrawnMap;
}

/** The passages with known texts: those drawn as signs, and those of the sample that the user has looked at. */
export function knownPassages({ map, state }: Pick<DrawnContext, 'map' | 'state'>): Map<number, Passage> {
  return new Map([...state.looked, ...map.passages].map((passage) => [passage.slot, passage]));
}
