/** The panel owns no state. */
import type { FromReview, ReviewState } from '../../src/features/review/contract/panel.ts';
import { SILENCE } from '../components/announcement.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';

export type Draft = PanelDraft;

export const EMPTY_DRAFT: Draft = { announcement: SILENCE };

export type Actions = PanelActions<Draft, FromReview>;

export interface Context {
  readonly state: ReviewState;
  readonly actions: Actions;
}
