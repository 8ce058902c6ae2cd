/** A measure is one object: its computation, its name, what it needs and where it is shown. */
import type { Topic } from './judgements.ts';

/**
 * A place that shows a selection of measures. The tables of `parallax metrics`, `eval --json`, thresholds and `eval
 * --view tuning` accept any measure.
 */
export type MeasurePlace =
  /** Reports and baselines of the gate, and the output of `parallax eval`. */
  | 'reports'
  /** The table of a comparison. */
  | 'comparisons'
  /** The retrieval of evaluated answers, and its correlation with the answers. */
  | 'answers'
  /** Offered by the setting `parallax.inline.metrics`. */
  | 'beside-calls'
  /** Results of the tools for agents. */
  | 'agents'
  /** The differences that `parallax eval` prints. */
  | 'differences';

export interface MeasureDefinition {
  /** The name without its cutoff: `nDCG` of `nDCG@10`. Names follow ir_measures where it has the measure. */
  readonly family: string;
  /** A short name for narrow places. */
  readonly short?: string;
  /** One sentence in the user's language that explains the mean over queries. */
  readonly explain: () => string;
  /** Whether the measure is about one field of documents, named in brackets: `Values(author)@5`. */
  readonly ofField?: true;
  /** Whether the name must end in `@k`. Without a cutoff, the whole ranking counts. */
  readonly cutoff: 'required' | 'optional';
  /**
   * `perspectives`: cannot be computed from plain qrels, which have one relevance per passage. `passages`: needs no
   * judgements, only the passages.
   */
  readonly needs: 'perspectives' | 'relevance' | 'passages';
  /** Smallest and largest value that any ranking can reach. */
  readonly range: readonly [least: number, most: number];
  /**
   * `more`: a higher value means a better ranking. `neither`: the value describes how far other figures can be trusted,
   * or how the passages differ.
   */
  readonly better: 'more' | 'neither';
  /** Whether the value for one query is always 0 or 1. */
  readonly isYesOrNo?: true;
  /**
   * Whether it is exact once MRecall and Precision are, so that it can be reported if only those were judged for. It
   * only needs to know whether a passage supports any perspective.
   */
  readonly exactWithHeadline?: true;
  /**
   * Whether it ignores ranks below k and never falls with more support within k, so that a few judgements may settle
   * its value.
   */
  readonly risesWithSupport?: true;
  /** Whether it rests on an embedder's vectors. Values from different embedders are not comparable. */
  readonly restsOnVectors?: true;
  /** Whether its denominator differs between given perspectives and a pool, see `Basis`. */
  readonly dependsOnBasis?: true;
  /** Whether it is a share of the retrieved passages. Queries that retrieved nothing are left out of its mean. */
  readonly ofRetrieved?: true;
  readonly shown: readonly MeasurePlace[];
  /**
   * The value for one query. Takes distinct passage ids, best first, a cutoff k ≥ 1 that may be infinite, and the field
   * for measures of fields.
   */
  readonly compute: (ranking: readonly string[], topic: Topic, k: number, field?: string) => number;
}

/** The range of a share. */
export const SHARE = [0, 1] as const;
