/** The results of pipelines on the questions of a data set, from which commands that evaluate make their `--json`. */
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
import type { RepeatedFigure } from '../core/metrics/repeats.ts';
import type { Basis } from '../core/metrics/judgements.ts';
import type { Pipeline } from '../core/pipeline.ts';
import type { PoolDatasetView } from './pool.ts';
import type { SearchErrors } from '../evaluation/query-errors.ts';

/** In the order in which they are shown. */
export const VIEWS = ['lost', 'set-size', 'union', 'leaning', 'sycophancy', 'groups', 'unreached'] as const;
export type View = (typeof VIEWS)[number];

/** A view that says nothing here, and why. */
export interface LeftOut {
  readonly view: View;
  /** Absent where it says nothing for any of them. */
  readonly pipeline?: string;
  /** A sentence. */
  readonly reason: string;
  /** Where too little of what it rests on was judged. */
  readonly judged?: JudgedForms;
}

export interface LostReport extends Pick<CoverageLoss, 'perspectives' | 'open' | 'queries'> {
  /** Absent, as that of the queries, where it is left out because nothing in any top k is judged. */
  readonly mrecall?: number;
  /** Whether an exact search was run beside an approximate one, to tell what the latter missed. */
  readonly comparedWithExact: boolean;
  readonly perQuery: readonly {
    readonly id: string;
    readonly mrecall?: number;
    readonly unjudgedPassages: number;
    readonly perspectives: readonly (PerspectiveState & {
      /** From 1; null where no passage within the depth is known to support it. */
      readonly firstRank: number | null;
    })[];
  }[];
}

/** By what was asked (the question, a side, a perspective): the share of the pairs behind a view that was judged. */
export type JudgedForms = Readonly<Record<string, number>>;

export interface SetSizeReport extends SizesTogether {
  readonly perQuery: Readonly<Record<string, number>>;
}

export interface GroupReport {
  readonly shares: Readonly<Record<string, number>>;
  /** Relevant passages that the shares are of. */
  readonly passages: number;
  /** Queries, asked without a perspective, for which something relevant was retrieved; and all of them. */
  readonly successful: number;
  readonly roots: number;
  /** By the group asked for, by the group found. */
  readonly heatMap: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Over perspectives that some judged passage supports; absent where there are none. */
  readonly recall?: {
    readonly pRecall: number;
    readonly byGroup: Readonly<Record<string, number>>;
    readonly rootRecall: number;
  };
}

/** A view, with the share of its pairs that was judged. */
type Judged<Report> = Report & { readonly judged: JudgedForms };

export interface PipelineAnalyses {
  readonly lost?: LostReport;
  readonly setSize?: Judged<SetSizeReport>;
  readonly leaning?: Judged<SideShares & Leaning>;
  readonly sycophancy?: Judged<Readonly<Record<QueryForm, Leaning>> & { readonly queries: number }>;
  readonly groups?: Judged<GroupReport>;
}

export interface UnionReport {
  readonly depth: number;
  /** Share of the pairs behind it that was judged. */
  readonly judged: number;
  /** Shares of the queries whose perspectives are all covered. */
  readonly union: number;
  readonly runs: Readonly<Record<string, { readonly alone: number; readonly withoutIt: number }>>;
  readonly uncovered: readonly string[];
  readonly queries: number;
}

/** How many pairs figures rest on, and what having them judged took. */
export interface FigureJudging {
  /** Pairs of the full matrix: passages of any top k, and those that views read at most, × perspectives. */
  readonly pairs: number;
  /** Pairs that were known before. */
  readonly known: number;
  readonly asked: number;
  readonly answered: number;
  readonly failed: number;
  /** Pairs whose answer could not be read: they stay unjudged. Why, of the first one. */
  readonly unreadable: number;
  readonly unreadableReason?: string | undefined;
  /** Sent now, repeated ones included; and the tokens they took, as far as endpoints say. */
  readonly requests: number;
  readonly tokens: number;
  /** Pairs that were put to the judge beside that, to hold it against labels; absent where figures are not corrected. */
  readonly held?: number;
  /** Pairs of settled queries that nobody had to be asked about. */
  readonly saved: number;
  /** Queries whose figures are exactly those of the full matrix. */
  readonly settled: number;
  readonly queries: number;
  /**
   * By how much each MRecall@k and Precision@k of any pipeline can be higher at most once all is answered, as shares: what
   * is not judged counts as no support until then. Absent where every query is settled.
   */
  readonly mayRise?: Readonly<Record<string, number>> | undefined;
  /** The budget was spent before all was settled. */
  readonly stopped: boolean;
}

/** The same rankings, judged several times by a judge that may say something else each time. */
export interface RepeatsReport {
  /** Repeats in which all was judged; only these count. */
  readonly complete: number;
  /** So many were wanted. */
  readonly wanted: number;
  /** Pairs that were judged in all of them, and those on which the judge contradicts itself. */
  readonly pairs: number;
  readonly contradicted: number;
  /** By pipeline and measure; empty for fewer than two complete ones. */
  readonly pipelines: readonly {
    readonly name: string;
    readonly figures: Readonly<Record<string, RepeatedFigure>>;
    /** To the pipeline that others are compared to, paired by query and repeat; absent for that one. */
    readonly differences?: Readonly<Record<string, RepeatedFigure>>;
  }[];
}

/** The judging that went before the figures. With repeats, what was asked and spent is that of all of them. */
export interface JudgingReport extends FigureJudging {
  readonly judge: string;
  /** An offline one, to be labelled as such. */
  readonly heuristic: boolean;
  readonly scope: 'figures' | 'everything';
  /** Absent where everything is judged once. */
  readonly repeats?: RepeatsReport;
  /** Verdicts within the top k that are "yes" with a quotation that is not in the passage. */
  readonly evidenceNotFound: number;
  /** Why the first pair that failed did. */
  readonly error?: string;
}

export interface PipelineExperiment {
  readonly name: string;
  /** With a number in the place of everything that is worked out over the queries. */
  readonly pipeline: Pipeline;
  /** The embedder that measures of likeness rest on; absent without such. */
  readonly vectors?: string;
  /** The judge that both made the ranking and scores it: its figures certify no gain. Absent where there is none. */
  readonly circular?: string;
  /** Queries that could not be asked: they found nothing, and count as such. */
  readonly queryErrors: readonly { readonly query: string; readonly message: string }[];
  /** Searches beyond the questions that failed: they found nothing, and count as such in the analyses that they are for. */
  readonly searchErrors: SearchErrors;
  /** Ids of queries that were asked, and for which nothing was found; absent where there are none. */
  readonly foundNothing?: readonly string[];
  /** A store returned fewer candidates than it was asked for; absent where none did. */
  readonly short?: Shortfalls;
  /** Of a projection over what a store returned: how far the first k are those of the whole store. */
  readonly certainty?: Certainties;
  /** Share of the top k that is judged, averaged over queries that retrieved something; 1 where none did. */
  readonly judged: number;
  /** The means of measures that further verdicts change for some query; absent if there are none. */
  readonly open?: Readonly<Record<string, Measured>>;
  /** Means of the measures that were asked for, and each by query; what is unjudged counts as not supporting. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly queries: readonly { readonly id: string; readonly metrics: Readonly<Record<string, number>> }[];
  /** The means as they would be had people judged all; absent where they rest on no judge, or nobody labelled anything. */
  readonly correction?: Correction;
  readonly analyses: PipelineAnalyses;
  /** Absent where every question has an answer. */
  readonly unanswerable?: UnanswerableReport;
}

export interface ExperimentReport {
  /** The divisor of measures that count perspectives. */
  readonly basis: Basis;
  /** How many queries the figures are over. */
  readonly queries: number;
  /** Ids of queries that were not asked, because the corpus has no pages for them. */
  readonly leftOut: readonly string[];
  readonly judging?: JudgingReport;
  /** Verdicts within the top k that are labels of whole documents. */
  readonly ofDocuments: number;
  /** Everything that is judged, and by whom; where a request wants it. */
  readonly lines?: readonly JudgedLine[];
  /** So much of the budget. */
  readonly spent: { readonly requests: number; readonly tokens: number };
  /** Those that could be run on at least one query. */
  readonly pipelines: readonly PipelineExperiment[];
  /** Those that could not, each with the reason as a sentence: they have no figures. */
  readonly failed: readonly { readonly name: string; readonly error: string }[];
  readonly union?: UnionReport;
  /** Within the top k of any pipeline. */
  readonly unreached?: Unreached;
  readonly pool?: PoolDatasetView;
  readonly viewsLeftOut: readonly LeftOut[];
}

/** A query that is searched for as it stands, because there is no extracted perspective to search with. */
interface UnsplitQuery {
  readonly queryId: string;
  /** A sentence. */
  readonly reason: string;
}

/** How much is lost when a model takes queries apart instead of a person (PIR, table 6). */
export interface ExtractionComparison {
  readonly queries: number;
  /** How well extracted perspectives agree with annotated ones, averaged over all queries; 0 for one that was not taken apart. */
  readonly agreement: ExtractionAgreement;
  readonly annotated: PerspectiveRecall;
  readonly extracted: PerspectiveRecall;
  /** In the order of the task; part of all figures. */
  readonly unsplit: readonly UnsplitQuery[];
}

/** A pipeline on the queries of a task of PIR. All figures in [0, 1]. */
export interface PirReport {
  readonly name: string;
  /** With a number in the place of everything that is worked out over the queries. */
  readonly pipeline: Pipeline;
  readonly pRecall: number;
  readonly pRecallAuthors: number;
  readonly recall: number;
  /** Recall by the label of the perspective. */
  readonly byPerspective: Readonly<Record<string, number>>;
  /** Root queries without a perspective (PIR, figure 2), and what they lean to (tables 3 and 10). */
  readonly rootRecall: number;
  readonly rootShares: Readonly<Record<string, number>>;
  /** Where a model was named that takes the queries apart. */
  readonly extraction?: ExtractionComparison | undefined;
}
