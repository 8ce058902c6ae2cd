/** The report of a gate as plain JSON: every output is written from this, and `--format json` prints it. */
import type { Correction } from '../metrics/correction.ts';
import type { LossPlace } from '../analysis/lost.ts';
import type { Moved } from '../analysis/movement.ts';
import type { Pipeline } from '../pipeline.ts';
import type { BaselineDataset, JudgementSummary } from './baseline.ts';

/** `unknown`: it could not be decided, and why stands beside it. Never taken for `passed`. */
export type CheckOutcome = 'passed' | 'missed' | 'unknown';

/** The parts that differ from when the baseline was accepted. */
export type Change = 'eval set' | 'corpus' | 'pipeline' | 'judgements';

export interface Attribution {
  readonly changes: readonly Change[];
  /** The 95% interval of the difference includes 0. */
  readonly noise: boolean;
  /**
   * How much of the difference comes from judging the baseline's own rankings as of today, and how much from
   * ranking differently; they add up. Absent where the corpus changed, because then its rankings can no longer
   * be judged, and for measures of the whole ranking, which a baseline does not keep.
   */
  readonly parts?: { readonly judgements: number; readonly retrieval: number } | undefined;
}

/** Now − baseline, over the queries that both have. */
export interface BaselineDifference {
  readonly value: number;
  readonly difference: number;
  /** 95% interval of a paired bootstrap. */
  readonly low: number;
  readonly high: number;
  /** Where the difference and its interval are without the judge's errors: the difference as counted. */
  readonly counted?: number | undefined;
  /**
   * Of a paired randomisation test, Holm-corrected over all comparisons of the gate. Absent where a ranking of the two is
   * circular, since nothing is tested then, and of a difference without the judge's errors.
   */
  readonly p?: number | undefined;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  readonly queries: number;
  readonly alpha: number;
  readonly tolerance: number;
  readonly attribution: Attribution;
}

export interface GateCheck {
  readonly kind: 'threshold' | 'judged' | 'baseline' | 'perspectives';
  readonly dataset: string;
  readonly pipeline: string;
  readonly metric: string;
  readonly tag?: string | undefined;
  readonly outcome: CheckOutcome;
  /** Mean over `queries` queries. */
  readonly value: number;
  readonly queries: number;
  /** The threshold that `value` must reach; only of thresholds. */
  readonly min?: number | undefined;
  /** Where `value` is without the judge's errors: the figure as counted, and the 95% interval of `value`. */
  readonly corrected?: { readonly counted: number; readonly low: number; readonly high: number } | undefined;
  readonly baseline?: BaselineDifference | undefined;
  /**
   * Perspectives that the baseline covered and the top k do not, and how many there may be; only of `perspectives`. The
   * check's value is then the share of those that the baseline covered which are covered still.
   */
  readonly lost?: { readonly count: number; readonly most: number } | undefined;
  /** A sentence. */
  readonly reason: string;
  /** Queries because of which it was missed; none otherwise. */
  readonly failing: readonly string[];
}

export interface LostView {
  readonly perspective: string;
  readonly text: string;
  readonly where: LossPlace;
  /** A sentence. */
  readonly reason: string;
  /** The baseline covered it, when the query was the same, and it is not quarantined. */
  readonly newly: boolean;
  /** The baseline covered it, and repeated runs of the judge do not show that it is lost: the reason says so. */
  readonly quarantined?: true | undefined;
}

/** A perspective that the top k cover and those of the baseline did not, of the same query. */
export interface WonView {
  readonly perspective: string;
  readonly text: string;
}

/** A retrieved passage, to be read. */
export interface ShownPassage {
  readonly id: string;
  /** File and section, for people. */
  readonly name: string;
  readonly text: string;
}

export interface QueryReport {
  readonly id: string;
  readonly text: string;
  /** Identity of its text and perspectives. */
  readonly digest: string;
  /** Where it stands in its eval set, from 1. */
  readonly line?: number | undefined;
  readonly metrics: Readonly<Record<string, number>>;
  readonly lost: readonly LostView[];
  /** Absent where there are none, and in reports of older builds. */
  readonly won?: readonly WonView[] | undefined;
  /** Pairs of a passage in the top k and a perspective that nobody has judged; their passages count as not supporting. */
  readonly unjudged: number;
  /** Passage ids, best first, as deep as the measures with a cutoff look. */
  readonly ranked: readonly string[];
  /** The top k with their texts, best first; only where they are asked for. */
  readonly passages?: readonly ShownPassage[] | undefined;
  /** Places in {@link GateReport.checks} of what is missed because of it. */
  readonly missed: readonly number[];
  /**
   * So many demands look at it: checks whose mean it counts in, and the baseline's perspectives where the baseline has
   * the same query. With 0 nothing could have failed it.
   */
  readonly demands: number;
  /** How long its search took when it was made; absent where it failed, and in reports of older builds. */
  readonly milliseconds?: number | undefined;
  /**
   * Passages of the top k that came, went or moved since the baseline: ranks `[then, now]`. Only where
   * something is missed or newly lost.
   */
  readonly moved?: readonly Moved<string>[] | undefined;
}

export interface PipelineReport {
  readonly name: string;
  readonly pipeline: Pipeline;
  readonly models: unknown;
  readonly metrics: Readonly<Record<string, number>>;
  readonly queries: readonly QueryReport[];
  /** Queries that could not be asked, and why, as a sentence; absent where there are none. */
  readonly queryErrors?: readonly { readonly query: string; readonly message: string }[] | undefined;
  /** The judge that both made the ranking and scores it: its figures certify no gain. Absent where there is none. */
  readonly circular?: string | undefined;
  /** Figures without the judge's errors; absent where no judge counts, or nobody has labelled anything. */
  readonly correction?: Correction | undefined;
}

export interface DatasetReport {
  readonly name: string;
  /** Path relative to parallax.json. */
  readonly evalSet: string;
  /** Path for links, relative to where the gate was run. */
  readonly file: string;
  readonly corpus: BaselineDataset['corpus'];
  readonly queries: number;
  readonly judgements: JudgementSummary;
  /**
   * Sentences on what was there and could not be read, or was in the baseline and is no longer there: with any of it
   * the figures are of something else, and nothing passes. Absent where nothing is missing.
   */
  readonly gaps?: readonly string[] | undefined;
  readonly pipelines: readonly PipelineReport[];
}

export interface GateReport {
  readonly version: 1;
  readonly outcome: 'passed' | 'missed' | 'not-evaluated';
  /** ISO 8601. */
  readonly at: string;
  readonly commit?: string | undefined;
  readonly k: number;
  readonly judge: string;
  readonly baseline?:
    { readonly file: string; readonly at: string; readonly commit?: string | undefined } | undefined;
  readonly checks: readonly GateCheck[];
  readonly datasets: readonly DatasetReport[];
  /** Sentences on what limits the figures. */
  readonly notes: readonly string[];
  /** Requests to models beyond those that they had answered before. Absent where that is not known. */
  readonly asked?: { readonly requests: number; readonly tokens: number } | undefined;
  /** Why nothing could be evaluated; a sentence. */
  readonly error?: string | undefined;
}

/** 0: all passed. 1: something was missed. 3: what was to be evaluated is not whole, or something could not be decided. */
export function exitCodeOf({ outcome }: Pick<GateReport, 'outcome'>): 0 | 1 | 3 {
  return { passed: 0, missed: 1, 'not-evaluated': 3 }[outcome] as 0 | 1 | 3;
}

/** A gate that failed before it could check anything. */
export function failedReport(
  error: string,
  given: Pick<GateReport, 'at' | 'commit' | 'k' | 'judge'>,
): GateReport {
  return { version: 1, outcome: 'not-evaluated', ...given, checks: [], datasets: [], notes: [], error };
}

/** Sentences on what is missing of data sets that were to be evaluated, each with the name of its data set. */
export function gapsOf({ datasets }: Pick<GateReport, 'datasets'>): string[] {
  return datasets.flatMap(({ name, gaps = [] }) => gaps.map((gap) => `${name}: ${gap}`));
}

/** A query with the pipeline and data set that it was asked of. */
export interface PlacedQuery {
  readonly dataset: DatasetReport;
  readonly pipeline: PipelineReport;
  readonly query: QueryReport;
}

/** All queries of a report, under every pipeline. */
export function queriesIn({ datasets }: Pick<GateReport, 'datasets'>): PlacedQuery[] {
  return datasets.flatMap((dataset) =>
    dataset.pipelines.flatMap((pipeline) => pipeline.queries.map((query) => ({ dataset, pipeline, query }))),
  );
}

/** Queries because of which something was missed, with the pipeline and data set they were asked of. */
export function failedQueries(report: GateReport): PlacedQuery[] {
  return queriesIn(report).filter(({ query }) => query.missed.length > 0);
}
