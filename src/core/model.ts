/**
 * The words of the project as types. Every other module speaks in these.
 *
 * Offsets are UTF-16 code units into the document's extracted text, half-open; lines count from 0.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface LineRange {
  readonly startLine: number;
  /** The line of the last character, inclusive. */
  readonly endLine: number;
}

/** The unit that is indexed, retrieved and judged. */
export interface Passage {
  /** Stable while the document and the splitting stay the same; the record's own id for unsplit records. */
  readonly id: string;
  /** The document's id: its path relative to the corpus root, with `#n` for the n-th record of a file. */
  readonly documentId: string;
  readonly title: string;
  readonly text: string;
  readonly span: Span;
  readonly lines: LineRange;
}

/** Perspectives for or against the question; absent where the eval set does not say. */
export type Stance = 'support' | 'oppose';

/** A statement that a complete answer to a query must cover. */
export interface Perspective {
  readonly id: string;
  readonly text: string;
  readonly stance?: Stance | undefined;
  readonly group?: string | undefined;
}

export interface Query {
  readonly id: string;
  readonly text: string;
  readonly perspectives: readonly Perspective[];
  readonly tags?: readonly string[] | undefined;
}

/** The answer to "does this passage support this perspective?". */
export type Verdict = 'yes' | 'no' | 'unsure';

export const JUDGEMENT_SOURCES = ['human', 'debate', 'llm', 'nli', 'lexical', 'imported'] as const;
/** Who gave a judgement, from the most to the least trusted within the product. */
export type JudgementSource = (typeof JUDGEMENT_SOURCES)[number];

export interface Judgement {
  readonly verdict: Verdict;
  /** Where in the passage's text the support stands; offsets are relative to the passage. */
  readonly evidence: readonly Span[];
  readonly source: JudgementSource;
  /** Name of the judge or the person. */
  readonly judge: string;
  readonly rationale?: string | undefined;
  /** Probability that the passage supports the perspective, where the judge gives one. */
  readonly confidence?: number | undefined;
  readonly model?: string | undefined;
  readonly promptVersion?: string | undefined;
  /** Version of the support standard that was applied, e.g. `berds-1`. */
  readonly standard: string;
  /** ISO 8601. */
  readonly at: string;
}

/** One entry of a ranking. Higher scores are better; ranks count from 1. */
export interface Ranked<T = string> {
  readonly item: T;
  readonly score: number;
}

/** Ranked passage ids per query id, best first. */
export type Run = ReadonlyMap<string, readonly Ranked[]>;

/**
 * Judgements for metrics: query id → perspective id → passage id → relevance.
 * Relevance above 0 means the passage supports the perspective, 0 that it was judged not to;
 * an absent passage is unjudged. Plain qrels hold one perspective, {@link PLAIN_PERSPECTIVE}.
 */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, number>>>;

/** The perspective id under which qrels without subtopics are kept. */
export const PLAIN_PERSPECTIVE = '0';
