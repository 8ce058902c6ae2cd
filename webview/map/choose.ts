/** Makes a list of the passages inside a drawn line or of a theme. */
import { LOOKED_AT } from '../../src/features/map/contract/passage-map.ts';
import { announced } from '../components/announcement.ts';
import { knownPassages, type DrawnContext } from './draft.ts';
import { strings } from './strings.ts';

/** The panel knows only the places of some passages, so it requests the rest from the host. */
export function choose(context: DrawnContext, slots: readonly number[]): void {
  const { draft, actions } = context;
  const known = knownPassages(context);
  const unknown = slots.slice(0, LOOKED_AT).filter((slot) => !known.has(slot));
  if (unknown.length > 0) actions.send({ type: 'look', slots: unknown });
  actions.edit({
    chosen: slots,
    encircling: false,
    announcement: announced(draft.announcement, strings.chosenSaid(slots.length)),
  });
}
