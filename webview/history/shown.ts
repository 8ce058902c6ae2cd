/** The selected part of the history: one eval set, one or all pipelines, one main metric. Pure. */
import type { EvaluationSummary, SummaryRow } from '../../src/shared/evaluation.ts';
import type { HistoryState } from '../../src/features/history/contract/panel.ts';

/** The user's selection. `undefined` until the user changes the default. */
export interface ShownChoice {
  /** Name of an eval set. */
  readonly dataset: string | undefined;
  readonly pipeline: string | undefined;
  readonly metric: string | undefined;
}

export interface Shown {
  readonly dataset: string;
  readonly datasets: readonly string[];
  /** The pipelines of the data set, in the order of the newest runs. */
  readonly pipelines: readonly string[];
  /** The shown ones among them. */
  readonly chosen: readonly string[];
  readonly metric: string;
  readonly metrics: readonly string[];
  /** Runs of the data set with at least one chosen pipeline, newest first. */
  readonly runs: readonly ShownRun[];
}

export interface ShownRun {
  readonly run: EvaluationSummary;
  /** In the order of the chosen pipelines. */
  readonly rows: readonly SummaryRow[];
}

/** @returns `undefined` if there are no runs */
export function shownOf(runs: readonly EvaluationSummary[], draft: ShownChoice): Shown | undefined {
  const datasets = distinct(runs.flatMap(({ rows }) => rows.map(({ dataset }) => dataset)));
  const dataset = chosenOf(datasets, draft.dataset);
  if (dataset === undefined) return undefined;
  const datasetRows = runs.flatMap(({ rows }) => rows.filter((row) => row.dataset === dataset));
  const pipelines = distinct(datasetRows.map(({ pipeline }) => pipeline));
  const chosen = pipelines.filter((name) => name === draft.pipeline);
  const metrics = distinct(datasetRows.flatMap(({ figures }) => Object.keys(figures)));
  const metric = chosenOf(metrics, draft.metric);
  if (metric === undefined) return undefined;
  const names = chosen.length > 0 ? chosen : pipelines;
  const shown = runs.map((run) => ({
    run,
    rows: names.flatMap(
      (name) => run.rows.find((row) => row.dataset === dataset && row.pipeline === name) ?? [],
    ),
  }));
  return {
    dataset,
    datasets,
    pipelines,
    metric,
    metrics,
    chosen: names,
    runs: shown.filter(({ rows }) => rows.length > 0),
  };
}

function chosenOf(names: readonly string[], choice: string | undefined): string | undefined {
  return names.find((name) => name === choice) ?? names[0];
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** Kinds of events that the timeline and the table mark, in their order. */
export const EVENTS = ['baseline', 'corpus', 'eval set', 'pipeline', 'judge', 'judgements'] as const;
export type RunEvent = (typeof EVENTS)[number];

/** Events at a run: whether it became the baseline, and the changed parts. */
export function eventsOf({ run, rows }: ShownRun): RunEvent[] {
  const happened = new Set<RunEvent>(rows.flatMap(changesOf));
  if (run.accepted) happened.add('baseline');
  return EVENTS.filter((event) => happened.has(event));
}

/** Changes since the previous run. Distinguishes another judge from other judgements by the same judge. */
export function changesOf({ since }: SummaryRow): Exclude<RunEvent, 'baseline'>[] {
  if (!since) return [];
  return since.changes.map((change) =>
    change === 'judgements' && since.judge !== undefined ? 'judge' : change,
  );
}

/** Parts of the current evaluation that a run does not cover. A run that lacks any cannot become the baseline. */
export function lacksOf(
  { k, rows }: EvaluationSummary,
  demands: HistoryState['demands'],
): 'k' | 'rows' | undefined {
  if (k !== demands.k) return 'k';
  const complete = demands.evalSets.every((evalSet) =>
    demands.pipelines.every((pipeline) =>
      rows.some((row) => row.evalSet === evalSet && row.pipeline === pipeline),
    ),
  );
  return complete ? undefined : 'rows';
}
