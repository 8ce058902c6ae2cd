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
  /** Of its document. */
  readonly title: string;
  /** Headings above it, from the outermost inwards, `A › B`, or its page, `p. 3`; absent where it stands under none. */
  readonly section?: string | undefined;
  readonly text: string;
  readonly span: Span;
  readonly lines: LineRange;
}

export const STANCES = ['support', 'oppose'] as const;
/** Perspectives for or against the question; absent where the eval set does not say. */
export type Stance = (typeof STANCES)[number];

export const STANCE_SOURCES = ['human', 'model'] as const;
/** Who said so: a person, or a model whose proposal a person accepted. */
export type StanceSource = (typeof STANCE_SOURCES)[number];

/** A statement that a complete answer to a query must cover. */
export interface Perspective {
  readonly id: string;
  readonly text: string;
  readonly stance?: Stance | undefined;
  /** Absent where the eval set gives the stance without saying whose it is. */
  readonly stanceBy?: StanceSource | undefined;
  readonly group?: string | undefined;
}

export interface Query {
  readonly id: string;
  readonly text: string;
  readonly perspectives: readonly Perspective[];
  /** Gold answers: a written answer that holds one of them succeeds. */
  readonly answers?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

export const DECIDED_VERDICTS = ['yes', 'no'] as const;
/** A verdict that takes a side: all that a reference, an agent of a debate or a threshold can say. */
export type DecidedVerdict = (typeof DECIDED_VERDICTS)[number];

export const VERDICTS = [...DECIDED_VERDICTS, 'unsure'] as const;
/** The answer to "does this passage support this perspective?". */
export type Verdict = (typeof VERDICTS)[number];

export const JUDGEMENT_SOURCES = ['human', 'debate', 'llm', 'nli', 'lexical', 'imported'] as const;
/** Who gave a judgement, from the most to the least trusted within the product. */
export type JudgementSource = (typeof JUDGEMENT_SOURCES)[number];

/**
 * The cost of an answer, as far as the endpoint reports it. An answer that is remembered, or shared by
 * several who asked at the same time, keeps the cost it was given at; a request that answered several pairs
 * counts in equal parts, so that requests and tokens may be fractions.
 */
export interface JudgementCost {
  /** Repeated ones included. */
  readonly requests: number;
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  /** From the first request to the answer; of requests sent at the same time, the slowest counts. */
  readonly milliseconds: number;
}

/** One model's argument in a debate. */
export interface Argument {
  readonly model: string;
  /** Absent where no label could be read from the answer. */
  readonly label?: DecidedVerdict | undefined;
  /** Empty where the model gave none. */
  readonly argument: string;
  /** Quoted spans, relative to the passage. */
  readonly evidence: readonly Span[];
  /** Why there is no label, as a sentence. */
  readonly unparsable?: string | undefined;
}

/** An agent's part in one round. */
export interface DebateTurn extends Argument {
  /** The label it was told to begin from. */
  readonly initialStance: DecidedVerdict;
}

/** The history of a debate (DREAM, section 3.1). */
export interface Debate {
  /** In each round one turn per agent, in the order of the agents. */
  readonly rounds: readonly (readonly DebateTurn[])[];
  /** The adjudicator's argument after the last round, where it was asked. */
  readonly adjudication?: Argument | undefined;
  /** Rounds held after the agreement, to see whether it lasts. They decide nothing. */
  readonly further?: Debate['rounds'] | undefined;
}

/** Who has, or is to have, the last word where a judge could not decide by itself. */
export type Escalation = 'adjudicator' | 'human';

export interface Judgement {
  readonly verdict: Verdict;
  /** Where in the passage's text the support stands; offsets are relative to the passage. */
  readonly evidence: readonly Span[];
  readonly source: JudgementSource;
  /** Name of the judge or the person. */
  readonly judge: string;
  /** "Yes" with quoted words of which none stand in the passage: support that nothing shows. Absent otherwise. */
  readonly evidenceNotFound?: boolean | undefined;
  /** A label of the whole document, of which this passage is a part. Absent otherwise. */
  readonly ofDocument?: boolean | undefined;
  readonly rationale?: string | undefined;
  /** Probability that the passage supports the perspective, where the judge gives one. */
  readonly confidence?: number | undefined;
  readonly model?: string | undefined;
  readonly promptVersion?: string | undefined;
  /** Version of the support standard that was applied, e.g. `berds-1`. */
  readonly standard: string;
  /** ISO 8601. */
  readonly at: string;
  readonly cost?: JudgementCost | undefined;
  readonly debate?: Debate | undefined;
  readonly escalated?: Escalation | undefined;
  /** The judge within a filter whose answer this is. */
  readonly stage?: string | undefined;
  /** Of a label: the chance with which its query was drawn to be put to people. */
  readonly chance?: number | undefined;
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
