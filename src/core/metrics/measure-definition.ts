/** A measure is one object: what it computes, what it is called, what it needs and where it is shown. */
import type { Topic } from './judgements.ts';

/**
 * A place that shows a choice of measures. The tables of `parallax metrics`, `eval --json`, thresholds and
 * `eval --view tuning` take any measure.
 */
export type MeasurePlace =
  /** Reports and baselines of the gate, and what `parallax eval` prints. */
  | 'reports'
  /** The table of a comparison. */
  | 'comparisons'
  /** The retrieval of evaluated answers, and their correlations. */
  | 'answers'
  /** May be chosen with the setting `parallax.inline.metrics`. */
  | 'beside-calls'
  /** Answers of the tools for agents. */
  | 'agents'
  /** The differences that `parallax eval` prints. */
  | 'differences';

export interface MeasureDefinition {
  /** The name without its cutoff: `nDCG` of `nDCG@10`. Names follow ir_measures where it has the measure. */
  readonly family: string;
  /** The name where there is little room. */
  readonly short?: string;
  /** One sentence in the user's language: what a value, averaged over queries, says. */
  readonly explain: () => string;
  /** In brackets after the family stands the field of documents that it is about: `Values(author)@5`. */
  readonly ofField?: true;
  /** Whether the name must end in `@k`; without a cutoff the whole ranking counts. */
  readonly cutoff: 'required' | 'optional';
  /**
   * `perspectives`: cannot be computed from plain qrels, which only have one relevance per passage. `passages`: needs no
   * judgement, but the passages themselves.
   */
  readonly needs: 'perspectives' | 'relevance' | 'passages';
  /** Smallest and largest value that any ranking can reach. */
  readonly range: readonly [least: number, most: number];
  /**
   * `more`: a higher value is a better ranking. `neither`: it says how far the other figures can be trusted, or what the
   * passages look like.
   */
  readonly better: 'more' | 'neither';
  /** For one query it is 0 or 1, and nothing between. */
  readonly isYesOrNo?: true;
  /**
   * Exact as soon as MRecall and Precision are, so it can be reported when only those were judged for: it asks of
   * a passage no more than whether it supports any perspective.
   */
  readonly exactWithHeadline?: true;
  /** It looks at nothing below k, and more support within k never lowers it: a few judgements may settle its value. */
  readonly risesWithSupport?: true;
  /** It rests on the vectors of an embedder: values that rest on those of two are not of one kind. */
  readonly restsOnVectors?: true;
  /** Its denominator is another one where perspectives are given than over a pool; see `Basis`. */
  readonly dependsOnBasis?: true;
  /** It is a share of what was retrieved: queries that retrieved nothing have no part in its mean. */
  readonly ofRetrieved?: true;
  readonly shown: readonly MeasurePlace[];
  /**
   * The value for one query: distinct passage ids, best first, at a cutoff k ≥ 1 that may be infinite; of a measure of
   * fields, for one of them.
   */
  readonly compute: (ranking: readonly string[], topic: Topic, k: number, field?: string) => number;
}

/** The range of a share. */
export const SHARE = [0, 1] as const;
