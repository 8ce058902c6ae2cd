/** The user's selections in the panel: the only state that the panel owns. */
import { isRecord } from '../../src/core/text/json.ts';
import type { Evaluation } from '../../src/evaluation/evaluation.ts';
import type { CompareState, FromCompare } from '../../src/features/compare/contract/panel.ts';
import type { ChartFile } from '../../src/shared/panels/save-chart.ts';
import { SILENCE } from '../components/announcement.ts';
import type { GridCell } from '../components/grid.ts';
import { isTexts, textOf } from '../components/kept.ts';
import type { TableWindow } from './queries/row-window.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';
import type { Sort } from './overview/table-order.ts';
import { isFilter, isOrder, type QuerySelection } from './queries/query-list.ts';
import type { ShownSet } from './shown-set.ts';

export interface Draft extends PanelDraft, QuerySelection {
  /** Name of the data set shown in detail. Defaults to the first. */
  readonly dataset: string | undefined;
  /** Names of the data sets whose rows in the overview the user folded or unfolded. */
  readonly toggled: readonly string[];
  /** The order of the overview. Defaults to the order of the comparison. */
  readonly sort: Sort | undefined;
  /** By measure, whether the user chose or removed its column in the overview. */
  readonly columns: Readonly<Record<string, boolean>>;
  /** Ids of the queries whose perspectives are shown in full. */
  readonly expanded: readonly string[];
  readonly chart: string | undefined;
  readonly axes: Axes;

  // The fields below are not kept when the panel is reloaded.

  /** The comparison that the newest state shows. */
  readonly comparison: Evaluation | undefined;
  /** A comparison that arrived after the newest state; the next state shows it. */
  readonly arrived: Evaluation | undefined;
  /** The focused cell of the table of queries. */
  readonly cell: GridCell;
  /** The rendered rows besides the focused one. Defaults to those at the top. */
  readonly drawn: TableWindow | undefined;
  /** Name of the pipeline being dragged. */
  readonly dragged: string | undefined;
  readonly popover: 'sets' | 'columns' | 'earlier' | 'judging' | undefined;
  /** Name of the pipeline whose group heat map is shown. */
  readonly heatOf: string | undefined;
  /** Whether the curves show MRecall. */
  readonly mrecallCurves: boolean;
  /** The query whose rank movement is shown. */
  readonly moving: { readonly dataset: string; readonly queryId: string } | undefined;
}

/** The axes of the scatter chart. */
interface Axes {
  readonly x: string | undefined;
  readonly y: string | undefined;
  /** Whether single queries are drawn besides the means. */
  readonly queries: boolean;
}

/** Resets the list of queries to its top. */
export const LIST_TOP: Pick<Draft, 'cell' | 'drawn'> = {
  cell: { row: 0, column: 0 },
  drawn: undefined,
};

export const EMPTY_DRAFT: Draft = {
  dataset: undefined,
  toggled: [],
  sort: undefined,
  columns: {},
  filter: 'all',
  order: 'disagreement',
  words: '',
  tag: undefined,
  expanded: [],
  chart: undefined,
  axes: { x: undefined, y: undefined, queries: false },
  comparison: undefined,
  arrived: undefined,
  lead: undefined,
  ...LIST_TOP,
  dragged: undefined,
  popover: undefined,
  heatOf: undefined,
  mrecallCurves: false,
  moving: undefined,
  announcement: SILENCE,
};

/** The fields that survive a reload. */
export type KeptDraft = Pick<
  Draft,
  | 'dataset'
  | 'toggled'
  | 'sort'
  | 'columns'
  | 'filter'
  | 'order'
  | 'words'
  | 'tag'
  | 'expanded'
  | 'chart'
  | 'axes'
>;

export function keep(draft: Draft): KeptDraft {
  const { dataset, toggled, sort, columns, filter, order, words, tag, expanded, chart, axes } = draft;
  return { dataset, toggled, sort, columns, filter, order, words, tag, expanded, chart, axes };
}

/** Reads the fields stored by an earlier page; ignores unexpected values. */
export function restore(value: unknown): Draft {
  if (!isRecord(value)) return EMPTY_DRAFT;
  const {
    dataset,
    toggled,
    sort,
    columns,
    filter,
    order,
    words,
    tag,
    expanded,
    chart,
    axes,
  }: Partial<Record<keyof KeptDraft, unknown>> = value;
  return {
    ...EMPTY_DRAFT,
    dataset: textOf(dataset),
    toggled: isTexts(toggled) ? toggled : [],
    sort: isSort(sort) ? sort : undefined,
    columns: isChoice(columns) ? columns : {},
    filter: isFilter(filter) ? filter : EMPTY_DRAFT.filter,
    order: isOrder(order) ? order : EMPTY_DRAFT.order,
    words: textOf(words) ?? '',
    tag: textOf(tag),
    expanded: isTexts(expanded) ? expanded : [],
    chart: textOf(chart),
    axes: isRecord(axes)
      ? { x: textOf(axes['x']), y: textOf(axes['y']), queries: axes['queries'] === true }
      : EMPTY_DRAFT.axes,
  };
}

function isChoice(value: unknown): value is Record<string, boolean> {
  return isRecord(value) && Object.values(value).every((chosen) => typeof chosen === 'boolean');
}

function isSort(value: unknown): value is Sort {
  if (!isRecord(value)) return false;
  const { column, direction }: Partial<Record<keyof Sort, unknown>> = value;
  return typeof column === 'string' && (direction === 'ascending' || direction === 'descending');
}

export type Actions = PanelActions<Draft, FromCompare>;

/** The input of every part of the view. */
export interface Context {
  readonly state: CompareState;
  readonly draft: Draft;
  readonly actions: Actions;
}

/** A context with a comparison to show. */
export interface ComparedContext extends Context {
  readonly comparison: Evaluation;
  /** The data set shown in detail. */
  readonly set: ShownSet;
}

/** Adopts the comparison that arrived before the state that shows it. @param shown id of the comparison in the state */
export function broughtFor({ arrived }: Pick<Draft, 'arrived'>, shown: string | undefined): Partial<Draft> {
  return arrived && arrived.id === shown ? { comparison: arrived, arrived: undefined } : {};
}

/** The comparison of the state, once it has arrived. */
export function shownComparison({ state, draft }: Pick<Context, 'state' | 'draft'>): Evaluation | undefined {
  return draft.comparison?.id === state.shown ? draft.comparison : undefined;
}

/** Handles the buttons that save a chart. */
export function saveChart({ actions }: Pick<Context, 'actions'>): (file: ChartFile) => void {
  return (file) => actions.send({ type: 'save-chart', ...file });
}
