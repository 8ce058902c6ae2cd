/** The user's selections in the panel: the only state that the panel owns. */
import type { FromRun, RunState } from '../../src/features/capture/contract/panel.ts';
import { SILENCE } from '../components/announcement.ts';
import type { PerspectiveSign } from '../components/chip.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';

export interface Draft extends PanelDraft {
  /** Index of the search whose passages are listed. */
  readonly search: number | undefined;
}

export const EMPTY_DRAFT: Draft = { search: undefined, announcement: SILENCE };

export type Actions = PanelActions<Draft, FromRun>;
export type Picture = NonNullable<RunState['picture']>;

export interface Context {
  readonly state: RunState;
  readonly draft: Draft;
  readonly actions: Actions;
}

/** A context with a run to show. */
export interface RunContext extends Context {
  readonly picture: Picture;
  /** In the order of the lanes. */
  readonly signs: readonly (PerspectiveSign & { readonly id: string })[];
}
