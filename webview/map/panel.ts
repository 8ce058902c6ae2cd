/** The map: what it draws, what it keeps, and what it makes of messages. */
import type { FromMap, MapState } from '../../src/shared/panels/map-panel.ts';
import { announced } from '../components/announcement.ts';
import type { Panel } from '../components/panel.ts';
import { EMPTY_DRAFT, type Draft } from './draft.ts';
import { isToMap } from './message-guards.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

export const MAP: Panel<MapState, Draft, FromMap> = {
  view,
  keep: () => ({}),
  restore: () => EMPTY_DRAFT,
  readState: (data) => (isToMap(data) ? data.state : undefined),
  settled,
};

function settled(draft: Draft, previous: MapState | undefined, next: MapState): Partial<Draft> {
  const isGone = !next.map?.passages.some(({ id }) => id === draft.on);
  const isDone = previous?.working === true && !next.working && next.map !== undefined;
  return {
    ...(isGone ? { on: undefined } : {}),
    ...(isDone
      ? { announcement: announced(draft.announcement, strings.drawn(next.map!.passages.length)) }
      : {}),
  };
}
