/** The results of pipelines on the questions of a data set, from which evaluating commands create their `--json`. */
import type { FieldReport } from '../core/analysis/field-values.ts';
import type { ExtractionAgreement } from '../core/analysis/extraction.ts';
import type { Leaning, QueryForm, SideShares } from '../core/analysis/leaning.ts';
import type { CoverageLoss } from '../core/analysis/lost.ts';
import type { PerspectiveState } from '../core/coverage-states.ts';
import type { SizesTogether } from '../core/analysis/over-datasets.ts';
import type { PerspectiveRecall } from '../core/analysis/p-recall.ts';
import type { UnanswerableReport } from '../core/analysis/unanswerable.ts';
import type { Unreached } from '../core/analysis/unreached.ts';
import type { Certainties } from '../core/external/certainty.ts';
import type { Shortfalls } from '../core/external/shortfall.ts';
import type { JudgedLine } from '../core/formats/judged-qrels.ts';
import type { Correction } from '../core/metrics/correction.ts';
import type { Measured } from '../core/measured.ts';
import type { RepeatsReport } from '../core/metrics/repeats.ts';
import type { Basis } from '../core/metrics/judgements.ts';
import type { Pipeline } from '../core/pipeline.ts';
import type { PoolDatasetView } from './pool.ts';
import type { SearchErrors } from '../evaluation/query-errors.ts';

/** In display order. */
export const VIEWS = [
  'lost',
  'set-size',
  'union',
  'leaning',
  'sycophancy',
  'groups',
  'fields',
  'unreached',
] as const;
export type View = (typeof VIEWS)[number];

/** A view without a result, and why. */
export interface LeftOut {
  readonly view: View;
  /** `undefined` if it has no result for any pipeline. */
  readonly pipeline?: string;
  readonly reason: string;
  /** Set if too few pairs behind it are judged. */
  readonly judged?: JudgedForms;
}

export interface LostReport extends Pick<CoverageLoss, 'perspectives' | 'open' | 'queries'> {
  /** `undefined`, also for the queries, if nothing in any top k is judged. */
  readonly mrecall?: number;
  /** Whether an exact search was run as well, to find what the approximate one missed. */
  readonly comparedWithExact: boolean;
  readonly perQuery: readonly {
    readonly id: string;
    readonly mrecall?: number;
    readonly unjudgedPassages: number;
    readonly perspectives: readonly (PerspectiveState & {
      /** From 1. `null` if no passage within the depth is known to support it. */
      readonly firstRank: number | null;
    })[];
  }[];
}

/** The share of judged pairs behind a view, by query form (the question, a side, a perspective). */
export type JudgedForms = Readonly<Record<string, number>>;

export interface SetSizeReport extends SizesTogether {
  readonly perQuery: Readonly<Record<string, number>>;
}

export interface GroupReport {
  readonly shares: Readonly<Record<string, number>>;
  /** The number of relevant passages behind the shares. */
  readonly passages: number;
  /** Queries without a perspective for which a relevant passage was retrieved, and all of them. */
  readonly successful: number;
  readonly roots: number;
  /** By the group in the query, then by the group found. */
  readonly heatMap: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Over perspectives that some judged passage supports. `undefined` if there are none. */
  readonly recall?: {
    readonly pRecall: number;
    readonly byGroup: Readonly<Record<string, number>>;
    readonly rootRecall: number;
  };
}

/** A view with the share of its judged pairs. */
type Judged<Report> = Report & { readonly judged: JudgedForms };

export interface PipelineAnalyses {
  readonly lost?: LostReport;
  readonly setSize?: Judged<SetSizeReport>;
  readonly leaning?: Judged<SideShares & Leaning>;
  readonly sycophancy?: Judged<Readonly<Record<QueryForm, Leaning>> & { readonly queries: number }>;
  readonly groups?: Judged<GroupReport>;
  /** For each counted field of the documents. */
  readonly fields?: readonly FieldReport[];
}

export interface UnionReport {
  readonly depth: number;
  /** Share of judged pairs behind it. */
  readonly judged: number;
  /** Shares of the queries with all perspectives covered. */
  readonly union: number;
  readonly runs: Readonly<Record<string, { readonly alone: number; readonly withoutIt: number }>>;
  readonly uncovered: readonly string[];
  readonly queries: number;
}

/** The number of pairs behind figures, and the cost of judging them. */
export interface FigureJudging {
  /** Pairs of the full matrix: passages of any top k, or the most that views read, × perspectives. */
  readonly pairs: number;
  /** Pairs that were known before. */
  readonly known: number;
  readonly asked: number;
  readonly answered: number;
  readonly failed: number;
  /** Pairs with unreadable answers, which stay unjudged, and the reason of the first one. */
  readonly unreadable: number;
  readonly unreadableReason?: string | undefined;
  /** Requests sent in this run, including retries, and their tokens as far as endpoints report them. */
  readonly requests: number;
  readonly tokens: number;
  /** Pairs that the judge was asked about to compare it with labels. `undefined` if figures are not corrected. */
  readonly held?: number;
  /** Pairs of settled queries that needed no request. */
  readonly saved: number;
  /** Queries whose figures equal those of the full matrix. */
  readonly settled: number;
  readonly queries: number;
  /**
   * The most that each MRecall@k and Precision@k of any pipeline can still rise, as shares: unjudged pairs count as no
   * support until then. `undefined` if every query is settled.
   */
  readonly mayRise?: Readonly<Record<string, number>> | undefined;
  /** Whether the budget was spent before everything was settled. */
  readonly stopped: boolean;
}

/** The most times that a judge is asked the same. */
export const MAX_REPEATS = 20;

/** Judging before the figures were computed. With repeats, requests and tokens are totals. */
export interface JudgingReport extends FigureJudging {
  readonly judge: string;
  /** Whether it is an offline heuristic, which outputs must mention. */
  readonly heuristic: boolean;
  readonly scope: 'figures' | 'everything';
  /** `undefined` if everything is judged once. */
  readonly repeats?: RepeatsReport;
  /** Verdicts within the top k that are "yes" with a quote that is not in the passage. */
  readonly evidenceNotFound: number;
  /** The first error. */
  readonly error?: string;
}

export interface PipelineExperiment {
  readonly name: string;
  /** With numbers for all settings that are derived from the queries. */
  readonly pipeline: Pipeline;
  /** The embedder behind the likeness measures. `undefined` without them. */
  readonly vectors?: string;
  /**
   * The judge that both made the ranking and scores it, so that figures do not prove a gain. `undefined` if there is
   * none.
   */
  readonly circular?: string;
  /** Queries that failed. They count as queries that found nothing. */
  readonly queryErrors: readonly { readonly query: string; readonly message: string }[];
  /** Searches beyond the questions that failed. They count as having found nothing in their analyses. */
  readonly searchErrors: SearchErrors;
  /** Ids of queries without results. `undefined` if there are none. */
  readonly foundNothing?: readonly string[];
  /** Ids of queries that wanted more requests than their part of the budget. `undefined` if there are none. */
  readonly cutShort?: readonly string[];
  /** Set if a store returned fewer candidates than requested. */
  readonly short?: Shortfalls;
  /** For a projection over what a store returned: whether the first k are certain. */
  readonly certainty?: Certainties;
  /** Share of the top k that is judged, averaged over queries with results. 1 if there are none. */
  readonly judged: number;
  /** The means of measures that further verdicts would change for some query. `undefined` if there are none. */
  readonly open?: Readonly<Record<string, Measured>>;
  /** Means of the requested measures, and their values by query. Unjudged passages count as not supporting. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly queries: readonly { readonly id: string; readonly metrics: Readonly<Record<string, number>> }[];
  /**
   * Estimates of the means if people had judged everything. `undefined` if they do not rest on a judge, or there are no
   * labels.
   */
  readonly correction?: Correction;
  readonly analyses: PipelineAnalyses;
  /** `undefined` if every question has an answer. */
  readonly unanswerable?: UnanswerableReport;
}

export interface ExperimentReport {
  /** The basis of measures that count perspectives. */
  readonly basis: Basis;
  /** The number of queries behind the figures. */
  readonly queries: number;
  /** Ids of queries that were skipped because the corpus has no pages for them. */
  readonly leftOut: readonly string[];
  readonly judging?: JudgingReport;
  /** Verdicts within the top k from labels of whole documents. */
  readonly ofDocuments: number;
  /** Every judgement with its source, if requested. */
  readonly lines?: readonly JudgedLine[];
  /** The spent part of the budget. */
  readonly spent: { readonly requests: number; readonly tokens: number };
  /** Pipelines that ran on at least one query. */
  readonly pipelines: readonly PipelineExperiment[];
  /** Pipelines that failed, each with a sentence on the reason. They have no figures. */
  readonly failed: readonly { readonly name: string; readonly error: string }[];
  readonly union?: UnionReport;
  /** Over the top k of all pipelines. */
  readonly unreached?: Unreached;
  readonly pool?: PoolDatasetView;
  readonly viewsLeftOut: readonly LeftOut[];
}

/** A query that is searched unchanged, as no perspective was extracted from it. */
interface UnsplitQuery {
  readonly queryId: string;
  readonly reason: string;
}

/** The loss if a model instead of a person splits queries (PIR, table 6). */
export interface ExtractionComparison {
  readonly queries: number;
  /**
   * Agreement of extracted perspectives with annotated ones, averaged over all queries. 0 for a query that was not
   * split.
   */
  readonly agreement: ExtractionAgreement;
  readonly annotated: PerspectiveRecall;
  readonly extracted: PerspectiveRecall;
  /** In the order of the task. Included in all figures. */
  readonly unsplit: readonly UnsplitQuery[];
}

/** A pipeline on the queries of a PIR task. All figures are in [0, 1]. */
export interface PirReport {
  readonly name: string;
  /** With numbers for all settings that are derived from the queries. */
  readonly pipeline: Pipeline;
  readonly pRecall: number;
  readonly pRecallAuthors: number;
  readonly recall: number;
  /** Recall by the label of the perspective. */
  readonly byPerspective: Readonly<Record<string, number>>;
  /** Root queries without a perspective (PIR, figure 2), and the groups they favour (tables 3 and 10). */
  readonly rootRecall: number;
  readonly rootShares: Readonly<Record<string, number>>;
  /** Share of the top k by the group of its passages, for each group asked for (PIR, figures 3 and 6). */
  readonly heatMap: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Passages in the top k of all root queries, by group, right or not (PIR, figure 5). */
  readonly rootPassages: Readonly<Record<string, number>>;
  /** Set if a model that splits the queries was named. */
  readonly extraction?: ExtractionComparison | undefined;
}
