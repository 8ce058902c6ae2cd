/** The user's selections in the panel: the only state that the panel owns. */
import { isRecord } from '../../src/core/text/json.ts';
import type { EvaluationSummary } from '../../src/shared/evaluation.ts';
import type { ComparedRuns, FromHistory, HistoryState } from '../../src/shared/panels/history-panel.ts';
import { SILENCE } from '../components/announcement.ts';
import { isTexts, textOf } from '../components/kept.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';
import type { Shown } from './shown.ts';

export interface Draft extends PanelDraft {
  /** Name of the eval set that is shown; that of the newest run when absent. */
  readonly dataset: string | undefined;
  /** Name of the pipeline that is shown; all of them when absent. */
  readonly pipeline: string | undefined;
  readonly metric: string | undefined;
  /** Ids of the runs that are picked, two at most, in the order of picking. */
  readonly picked: readonly string[];
  /** Which pipeline of the comparison is shown, on which eval set; see {@link comparisonKey}. */
  readonly compared: string | undefined;

  // From here on for the moment only; not kept over a reload of the panel.

  /** As they arrived, newest first, and which revision they are. */
  readonly runs:
    | {
        readonly revision: number;
        readonly runs: readonly EvaluationSummary[];
        readonly unlisted?: number | undefined;
      }
    | undefined;
  /** Where the keyboard is in the table of runs, and in that of queries: rows from 0. */
  readonly row: number;
  readonly queryRow: number;
  /** How many pages of runs are shown. */
  readonly pages: number;
  /** Ids of the runs whose comparison was asked for: it is brought into sight once it is there. */
  readonly awaited: string | undefined;
}

export const EMPTY_DRAFT: Draft = {
  dataset: undefined,
  pipeline: undefined,
  metric: undefined,
  picked: [],
  compared: undefined,
  runs: undefined,
  row: 0,
  queryRow: 0,
  pages: 1,
  awaited: undefined,
  announcement: SILENCE,
};

/** The part of a draft that a reload keeps. */
export type KeptDraft = Pick<Draft, 'dataset' | 'pipeline' | 'metric' | 'picked' | 'compared'>;

export function keep({ dataset, pipeline, metric, picked, compared }: Draft): KeptDraft {
  return { dataset, pipeline, metric, picked, compared };
}

/** Reads what an earlier panel kept; anything unexpected counts as nothing kept. */
export function restore(kept: unknown): Draft {
  if (!isRecord(kept)) return EMPTY_DRAFT;
  const { dataset, pipeline, metric, picked, compared }: Partial<Record<keyof KeptDraft, unknown>> = kept;
  return {
    ...EMPTY_DRAFT,
    dataset: textOf(dataset),
    pipeline: textOf(pipeline),
    metric: textOf(metric),
    picked: isTexts(picked) ? picked.slice(0, 2) : [],
    compared: textOf(compared),
  };
}

/** Actions that the parts of the view can take. */
export type Actions = PanelActions<Draft, FromHistory>;

/** Everything that a part of the view is rendered from. */
export interface Context {
  readonly state: HistoryState;
  readonly draft: Draft;
  readonly actions: Actions;
  /** Newest first. */
  readonly runs: readonly EvaluationSummary[];
}

/** The same where there is a run to show. */
export interface ShownContext extends Context {
  readonly shown: Shown;
}

/** Tells a comparison of two runs from others. */
export function pairKey(then: string, now: string): string {
  return `${then}\n${now}`;
}

export type PipelineComparison = ComparedRuns['comparison']['comparisons'][number];

/** Tells one pipeline of a comparison from the others. */
export function comparisonKey({ dataset, pipeline }: PipelineComparison): string {
  return `${dataset}\n${pipeline}`;
}
