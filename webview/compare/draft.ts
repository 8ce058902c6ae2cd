/** What the user is looking at: the only state that the panel owns. */
import type { Comparison, CompareState, FromCompare } from '../../src/shared/compare.ts';
import { SILENCE } from '../components/announcement.ts';
import type { GridCell } from '../components/grid.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';
import { isFilter, isOrder, type QueryFilter, type QueryOrder } from './query-list.ts';
import type { Sort } from './table-order.ts';

export interface Draft extends PanelDraft {
  /** Of the overview; in the order of comparison when absent. */
  readonly sort: Sort | undefined;
  readonly filter: QueryFilter;
  readonly order: QueryOrder;
  /** Words that a query must contain. */
  readonly words: string;
  /** A tag that a query must have. */
  readonly tag: string | undefined;
  /** Ids of the queries whose perspectives are spelled out. */
  readonly expanded: readonly string[];

  // From here on for the moment only; not kept over a reload of the panel.

  /** Where the keyboard is in the table of queries. */
  readonly cell: GridCell;
  /** How many queries are shown. */
  readonly shown: number;
  /** Name of the pipeline that the mouse is dragging. */
  readonly dragged: string | undefined;
}

/** Queries per page. */
export const PAGE = 200;
export const FIRST_CELL: GridCell = { row: 0, column: 0 };

export const EMPTY_DRAFT: Draft = {
  sort: undefined,
  filter: 'all',
  order: 'disagreement',
  words: '',
  tag: undefined,
  expanded: [],
  cell: FIRST_CELL,
  shown: PAGE,
  dragged: undefined,
  announcement: SILENCE,
  outdated: false,
};

/** The part of a draft that a reload keeps. */
export type KeptDraft = Pick<Draft, 'sort' | 'filter' | 'order' | 'words' | 'tag' | 'expanded'>;

export function keep({ sort, filter, order, words, tag, expanded }: Draft): KeptDraft {
  return { sort, filter, order, words, tag, expanded };
}

/** Reads what an earlier panel kept; anything unexpected counts as nothing kept. */
export function restore(kept: unknown): Draft {
  if (typeof kept !== 'object' || kept === null) return EMPTY_DRAFT;
  const { sort, filter, order, words, tag, expanded } = kept as Partial<Record<keyof KeptDraft, unknown>>;
  return {
    ...EMPTY_DRAFT,
    sort: isSort(sort) ? sort : undefined,
    filter: isFilter(filter) ? filter : EMPTY_DRAFT.filter,
    order: isOrder(order) ? order : EMPTY_DRAFT.order,
    words: typeof words === 'string' ? words : '',
    tag: typeof tag === 'string' ? tag : undefined,
    expanded: isTexts(expanded) ? expanded : [],
  };
}

function isSort(value: unknown): value is Sort {
  if (typeof value !== 'object' || value === null) return false;
  const { column, direction } = value as Partial<Record<keyof Sort, unknown>>;
  return typeof column === 'string' && (direction === 'ascending' || direction === 'descending');
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** What the parts of the view can do. */
export type Actions = PanelActions<Draft, FromCompare>;

/** What every part of the view is drawn from. */
export interface Context {
  readonly state: CompareState;
  readonly draft: Draft;
  readonly actions: Actions;
}

/** The same where there is a comparison to show. */
export interface ComparedContext extends Context {
  readonly comparison: Comparison;
}
