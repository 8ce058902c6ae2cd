/** The text that the user is typing: the only state that the panel owns. */
import type { DraftsState, DraftView, FromDrafts } from '../../src/features/building/contract/panel.ts';
import { SILENCE } from '../components/announcement.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';

/** The texts of a draft being edited. */
export type Edited = Omit<Extract<FromDrafts, { type: 'reword' }>, 'type'>;

export interface Draft extends PanelDraft {
  readonly edited: Edited | undefined;
}

export const EMPTY_DRAFT: Draft = { edited: undefined, announcement: SILENCE };

export type Actions = PanelActions<Draft, FromDrafts>;

export interface Context {
  readonly state: DraftsState;
  readonly draft: Draft;
  readonly actions: Actions;
}

/** A context with a draft to review. */
export interface CurrentContext extends Context {
  readonly current: DraftView;
}
