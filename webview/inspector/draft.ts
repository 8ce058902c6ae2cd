/** The user's input and selections: the only state that the panel owns. */
import type { Decision } from '../../src/core/explain/decision.ts';
import { isRecord } from '../../src/core/text/json.ts';
import type { FromInspectorInput, InspectorState } from '../../src/shared/panels/inspector.ts';
import { SILENCE } from '../components/announcement.ts';
import type { GridCell } from '../components/grid.ts';
import { isTexts, textOf } from '../components/kept.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';

export interface Draft extends PanelDraft {
  /** Text in the query box while it differs from the query that was asked. */
  readonly query: string | undefined;
  /** Perspectives being edited, and the query that they belong to. */
  readonly perspectives: { readonly query: string; readonly texts: readonly string[] } | undefined;
  /** Passages that are unfolded, and the query that they answer. */
  readonly expanded: { readonly query: string; readonly passages: readonly string[] };
  readonly pipelineOpen: boolean;
  /** What is folded away about the passages is shown. */
  readonly moreOpen: boolean;
  /** Passages that repeat one above show their heading alone. */
  readonly foldRepeats: boolean;

  // From here on for the moment only; not kept over a reload of the panel.

  /** Folders that are not to be indexed, and whether code is, where that was changed. */
  readonly leftOut: readonly string[];
  readonly withCode: boolean | undefined;
  /** Other corpora that are to be indexed, too. */
  readonly others: readonly string[];

  /** Proposed perspectives that are not to be taken. */
  readonly untaken: readonly string[];

  /** Text in the box for a missing document. */
  readonly missing: string;
  /** Documents are offered for it. */
  readonly offersOpen: boolean;

  /** The list of all passages: open, what is selected in it, its first row in sight, and the keyboard's place. */
  readonly rankingOpen: boolean;
  readonly rankingWords: string;
  readonly rankingDecision: Decision | undefined;
  readonly rankingTop: number;
  readonly rankingCell: GridCell;

  readonly suggestionsOpen: boolean;
  /** Position in the list of suggestions, or −1 while the user is in the text. */
  readonly activeSuggestion: number;
  /** How far back in the history the query box is, or −1. */
  readonly historyAt: number;
  /** The text that was in the query box before the user stepped through the history. */
  readonly beforeHistory: string;
  /** Where the keyboard is in the coverage matrix. */
  readonly cell: GridCell;
  /** The pair of that cell is shown below the matrix, to be labelled. */
  readonly labelling: boolean;
  /** How many results are shown. */
  readonly shown: number;
  /** Id of the perspective whose stance is being chosen. */
  readonly stanceOf: string | undefined;
}

/** As many as a `set-perspectives` message may carry. */
export const MOST_PERSPECTIVES = 32;

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
  others: [],
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

/** The part of a draft that a reload keeps. */
export type KeptDraft = Pick<
  Draft,
  'query' | 'perspectives' | 'expanded' | 'pipelineOpen' | 'moreOpen' | 'foldRepeats'
>;

export function keep(draft: Draft): KeptDraft {
  const { query, perspectives, expanded, pipelineOpen, moreOpen, foldRepeats } = draft;
  return { query, perspectives, expanded, pipelineOpen, moreOpen, foldRepeats };
}

/** Reads what an earlier panel kept; anything unexpected counts as nothing kept. */
export function restore(kept: unknown): Draft {
  if (!isRecord(kept)) return EMPTY_DRAFT;
  const {
    query,
    perspectives,
    expanded,
    pipelineOpen,
    moreOpen,
    foldRepeats,
  }: Partial<Record<keyof KeptDraft, unknown>> = kept;
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

/** Actions that the parts of the view can take. */
export type Actions = PanelActions<Draft, FromInspectorInput>;

/** Everything that a part of the view is rendered from. */
export interface Context {
  readonly state: InspectorState;
  readonly draft: Draft;
  readonly actions: Actions;
}

/** The perspectives being edited for the query at hand. */
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
