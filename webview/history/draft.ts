/** The user's selections in the panel: the only state that the panel owns. */
import { isRecord } from '../../src/core/text/json.ts';
import type { EvaluationSummary } from '../../src/shared/evaluation.ts';
import type { ComparedRuns, FromHistory, HistoryState } from '../../src/features/history/contract/panel.ts';
import { SILENCE } from '../components/announcement.ts';
import { isTexts, textOf } from '../components/kept.ts';
import type { PanelActions, PanelDraft } from '../components/panel.ts';
import type { Shown } from './shown.ts';

export interface Draft extends PanelDraft {
  /** Name of the shown eval set. Defaults to the newest run's. */
  readonly dataset: string | undefined;
  /** Name of the shown pipeline. Defaults to all. */
  readonly pipeline: string | undefined;
  readonly metric: string | undefined;
  /** Ids of the selected runs, at most two, in the order of selection. */
  readonly picked: readonly string[];
  /** The eval set and pipeline of the shown comparison; see {@link comparisonKey}. */
  readonly compared: string | undefined;

  // The fields below are not kept when the panel is reloaded.

  /** The received runs, newest first, with their revision. */
  readonly runs:
    | {
        readonly revision: number;
        readonly runs: readonly EvaluationSummary[];
        readonly unlisted?: number | undefined;
      }
    | undefined;
  /** The focused rows of the tables of runs and of queries, from 0. */
  readonly row: number;
  readonly queryRow: number;
  /** The number of shown pages of runs. */
  readonly pages: number;
  /** Key of the requested comparison, to which the panel scrolls once it arrives; see {@link pairKey}. */
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

/** The fields that survive a reload. */
export type KeptDraft = Pick<Draft, 'dataset' | 'pipeline' | 'metric' | 'picked' | 'compared'>;

export function keep({ dataset, pipeline, metric, picked, compared }: Draft): KeptDraft {
  return { dataset, pipeline, metric, picked, compared };
}

/** Reads the fields stored by an earlier page; ignores unexpected values. */
export function restore(value: unknown): Draft {
  if (!isRecord(value)) return EMPTY_DRAFT;
  const { dataset, pipeline, metric, picked, compared }: Partial<Record<keyof KeptDraft, unknown>> = value;
  return {
    ...EMPTY_DRAFT,
    dataset: textOf(dataset),
    pipeline: textOf(pipeline),
    metric: textOf(metric),
    picked: isTexts(picked) ? picked.slice(0, 2) : [],
    compared: textOf(compared),
  };
}

export type Actions = PanelActions<Draft, FromHistory>;

/** The input of every part of the view. */
export interface Context {
  readonly state: HistoryState;
  readonly draft: Draft;
  readonly actions: Actions;
  /** Newest first. */
  readonly runs: readonly EvaluationSummary[];
}

/** A context with a run to show. */
export interface ShownContext extends Context {
  readonly shown: Shown;
}

/** Identifies a comparison of two runs. */
export function pairKey(then: string, now: string): string {
  return `${then}\n${now}`;
}

export type PipelineComparison = ComparedRuns['comparison']['comparisons'][number];

/** Identifies a pipeline of a comparison. */
export function comparisonKey({ dataset, pipeline }: PipelineComparison): string {
  return `${dataset}\n${pipeline}`;
}
