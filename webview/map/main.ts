/** Entry point of the map. */
import '../components/l10n.ts';
import './map.css';
import type { FromMap, MapState, ToMap } from '../../src/features/map/contract/panel.ts';
import { mountPanel, type VsCodeApi, type Panel } from '../components/panel.ts';
import { registerMap } from './map-element.ts';
import { announced } from '../components/announcement.ts';
import { EMPTY_DRAFT, type Draft } from './draft.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

const MAP: Panel<MapState, Draft, FromMap, ToMap> = {
  view,
  keep: () => ({}),
  restore: () => EMPTY_DRAFT,
  settled,
};

function settled(draft: Draft, previous: MapState | undefined, next: MapState): Partial<Draft> {
  const isDone = previous?.working === true && !next.working && next.map !== undefined;
  return {
    ...(previous?.map === next.map ? {} : stillThere(draft, next)),
    ...(isDone
      ? { announcement: announced(draft.announcement, strings.drawn(next.map!.passages.length)) }
      : {}),
  };
}

/** Keeps the user's selection as far as the new map contains it. */
function stillThere({ on, chosen }: Draft, { map }: MapState): Pick<Draft, 'on' | 'chosen'> {
  const slots = new Set([...(map?.passages.map(({ slot }) => slot) ?? []), ...(map?.sample.slots ?? [])]);
  return {
    on: on !== undefined && slots.has(on) ? on : undefined,
    chosen: chosen.filter((slot) => slots.has(slot)),
  };
}

declare function acquireVsCodeApi(): VsCodeApi<FromMap>;

registerMap();
mountPanel(MAP, acquireVsCodeApi);
