/** The user's input and selections: the only state that the panel owns. */
import type { Decision } from '../../src/features/explain/core/decision.ts';
import { isRecord } from '../../src/core/text/json.ts';
import type { FromInspectorInput, InspectorState } from '../../src/features/inspector/contract/panel.ts';
import { SILENCE } from '../components/announcement.ts';
import type { GridCell } from '../components/grid.ts';
import { isTexts, textOf } from '../components/kept.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';

export interface Draft extends PanelDraft {
  /** Text in the query box. `undefined` while it equals the asked query. */
  readonly query: string | undefined;
  /** Perspectives being edited, and their query. */
  readonly perspectives: { readonly query: string; readonly texts: readonly string[] } | undefined;
  /** Unfolded passages, and the query that they answer. */
  readonly expanded: { readonly query: string; readonly passages: readonly string[] };
  readonly pipelineOpen: boolean;
  /** Whether the folded details about the passages are shown. */
  readonly moreOpen: boolean;
  /** Whether passages that repeat an earlier one show only their heading. */
  readonly foldRepeats: boolean;

  // The fields below are not kept when the panel is reloaded.

  /** Folders that the user excluded from indexing, and whether code is indexed, if the user changed it. */
  readonly leftOut: readonly string[];
  readonly withCode: boolean | undefined;
  /** Other corpora to index as well. */
  readonly otherCorpora: readonly string[];

  /** Proposed perspectives that the user unticked. */
  readonly untaken: readonly string[];

  /** Text in the box for a missing document. */
  readonly missing: string;
  /** Whether documents are offered for it. */
  readonly offersOpen: boolean;

  /** The list of all passages: whether it is open, its filters, its first visible row, and its focused cell. */
  readonly rankingOpen: boolean;
  readonly rankingWords: string;
  readonly rankingDecision: Decision | undefined;
  readonly rankingTop: number;
  readonly rankingCell: GridCell;

  readonly suggestionsOpen: boolean;
  /** Index in the list of suggestions, or −1 while the cursor is in the text. */
  readonly activeSuggestion: number;
  /** Index in the history that the query box shows, or −1. */
  readonly historyAt: number;
  /** The text in the query box before the user stepped through the history. */
  readonly beforeHistory: string;
  /** The focused cell of the coverage matrix. */
  readonly cell: GridCell;
  /** Whether the pair of that cell is shown below the matrix for labelling. */
  readonly labelling: boolean;
  /** The number of shown results. */
  readonly shown: number;
  /** Id of the perspective whose stance is being chosen. */
  readonly stanceOf: string | undefined;
}

/** The most that a `set-perspectives` message accepts. */
export const MAX_PERSPECTIVES = 32;

/** Results per page. */
export const PAGE = 50;

export const EMPTY_DRAFT: Draft = {
  query: undefined,
  perspectives: undefined,
  expanded: { query: '', passages: [] },
  pipelineOpen: false,
  moreOpen: false,
  foldRepeats: false,
  leftOut: [],
  withCode: undefined,
  otherCorpora: [],
  untaken: [],
  missing: '',
  offersOpen: false,
  rankingOpen: false,
  rankingWords: '',
  rankingDecision: undefined,
  rankingTop: 0,
  rankingCell: { row: 0, column: 0 },
  suggestionsOpen: false,
  activeSuggestion: -1,
  historyAt: -1,
  beforeHistory: '',
  cell: { row: 0, column: 0 },
  labelling: false,
  shown: PAGE,
  stanceOf: undefined,
  announcement: SILENCE,
};

/** The fields that survive a reload. */
export type KeptDraft = Pick<
  Draft,
  'query' | 'perspectives' | 'expanded' | 'pipelineOpen' | 'moreOpen' | 'foldRepeats'
>;

export function keep(draft: Draft): KeptDraft {
  const { query, perspectives, expanded, pipelineOpen, moreOpen, foldRepeats } = draft;
  return { query, perspectives, expanded, pipelineOpen, moreOpen, foldRepeats };
}

/** Reads the fields stored by an earlier page; ignores unexpected values. */
export function restore(value: unknown): Draft {
  if (!isRecord(value)) return EMPTY_DRAFT;
  const {
    query,
    perspectives,
    expanded,
    pipelineOpen,
    moreOpen,
    foldRepeats,
  }: Partial<Record<keyof KeptDraft, unknown>> = value;
  return {
    ...EMPTY_DRAFT,
    query: textOf(query),
    perspectives: isList(perspectives, 'texts') ? perspectives : undefined,
    expanded: isList(expanded, 'passages') ? expanded : EMPTY_DRAFT.expanded,
    pipelineOpen: pipelineOpen === true,
    moreOpen: moreOpen === true,
    foldRepeats: foldRepeats === true,
  };
}

function isList<Key extends string>(
  value: unknown,
  key: Key,
): value is { query: string } & Record<Key, readonly string[]> {
  return isRecord(value) && typeof value['query'] === 'string' && isTexts(value[key]);
}

export type Actions = PanelActions<Draft, FromInspectorInput>;

/** The input of every part of the view. */
export interface Context {
  readonly state: InspectorState;
  readonly draft: Draft;
  readonly actions: Actions;
}

/** The perspectives being edited for the current query. */
export function editedPerspectives({
  state,
  draft,
}: Pick<Context, 'state' | 'draft'>): readonly string[] | undefined {
  return draft.perspectives?.query === state.query ? draft.perspectives.texts : undefined;
}

export function isExpanded({ state, draft }: Context, passageId: string): boolean {
  return draft.expanded.query === state.query && draft.expanded.passages.includes(passageId);
}

export function toggleExpanded(context: Context, passageId: string): void {
  const { state, draft, actions } = context;
  const before = draft.expanded.query === state.query ? draft.expanded.passages : [];
  const passages = before.includes(passageId)
    ? before.filter((id) => id !== passageId)
    : [...before, passageId];
  actions.edit({ expanded: { query: state.query, passages } });
}

export function isRunning(state: InspectorState, kind: InspectorState['tasks'][number]['kind']): boolean {
  return state.tasks.some((task) => task.kind === kind);
}
