/** Entry point of the panel that reviews drafts. */
import '../components/l10n.ts';
import './drafts.css';
import type { FromDrafts, DraftsState, ToDrafts } from '../../src/features/building/contract/panel.ts';
import { mountPanel, type VsCodeApi, type Panel } from '../components/panel.ts';
import { announced } from '../components/announcement.ts';
import { focusCard } from './card.ts';
import { EMPTY_DRAFT, type Draft } from './draft.ts';
import { strings } from './strings.ts';
import { view, waitingOf } from './view.ts';

const DRAFTS: Panel<DraftsState, Draft, FromDrafts, ToDrafts> = {
  view,
  keep: () => ({}),
  restore: () => EMPTY_DRAFT,
  settled,
};

/** Focus follows the draft in view, so that one key suffices for each. */
function settled(draft: Draft, previous: DraftsState | undefined, next: DraftsState): Partial<Draft> {
  const isOther = next.current?.id !== previous?.current?.id;
  const isEdited = draft.edited !== undefined && draft.edited.id === next.current?.id;
  if (isOther && !isEdited) requestAnimationFrame(focusCard);
  if (!previous || !isOther) return {};
  const news = strings.next(waitingOf(next), next.current?.text);
  return { announcement: announced(draft.announcement, news) };
}

declare function acquireVsCodeApi(): VsCodeApi<FromDrafts>;

mountPanel(DRAFTS, acquireVsCodeApi);
