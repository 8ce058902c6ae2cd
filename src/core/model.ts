/**
 * The words of the project as types. Every other module speaks in these. Where something comes out of files, models or
 * other processes, its schema is here, and the type is what the schema reads.
 *
 * Offsets are UTF-16 code units into the document's extracted text, half-open; lines count from 0.
 */
import * as z from 'zod';
import type { Read } from './read.ts';
import { DECIDED_VERDICTS, JUDGEMENT_SOURCES, STANCE_SOURCES, STANCES, VERDICTS } from './words.ts';

const count = z.number().int().min(0);
const some = z.number().int().min(1);
const amount = z.number().min(0);

export const spanSchema = z.object({ start: count, end: count });
export type Span = Read<typeof spanSchema>;

export const lineRangeSchema = z.object({
  startLine: count,
  /** The line of the last character, inclusive. */
  endLine: count,
});
export type LineRange = Read<typeof lineRangeSchema>;

export const passageSchema = z.object({
  /** Stable while the document and the splitting stay the same; the record's own id for unsplit records. */
  id: z.string(),
  /** The document's id: its path relative to the corpus root, with `#n` for the n-th record of a file. */
  documentId: z.string(),
  /** Of its document. */
  title: z.string(),
  /** Headings above it, from the outermost inwards, `A › B`, or its page, `p. 3`; absent where it stands under none. */
  section: z.string().optional(),
  text: z.string(),
  span: spanSchema,
  lines: lineRangeSchema,
});
/** The unit that is indexed, retrieved and judged. */
export type Passage = Read<typeof passageSchema>;

export const stanceSchema = z.enum(STANCES);
/** Perspectives for or against the question; absent where the eval set does not say. */
export type Stance = z.output<typeof stanceSchema>;

export const stanceSourceSchema = z.enum(STANCE_SOURCES);
/** Who said so: a person, or a model whose proposal a person accepted. */
export type StanceSource = z.output<typeof stanceSourceSchema>;

export const perspectiveSchema = z.object({
  id: z.string().min(1),
  text: z.string().min(1),
  stance: stanceSchema.optional(),
  /** Absent where the eval set gives the stance without saying whose it is. */
  stanceBy: stanceSourceSchema.optional(),
  group: z.string().optional(),
  /** The id of a document: its passages support the perspective, and no others do; no judge is asked. */
  document: z.string().min(1).optional(),
  /** The lowest rank that the document may have; the k of the gate if left out. */
  within: some.optional(),
});
/** A statement that a complete answer to a query must cover. */
export type Perspective = Read<typeof perspectiveSchema>;

export const querySchema = z.object({
  id: z.string(),
  text: z.string(),
  perspectives: z.array(perspectiveSchema).readonly(),
  /** The corpus has no answer: every passage that is retrieved is wrong, and there is nothing to cover. */
  answerable: z.literal(false).optional(),
  /** Gold answers: a written answer that holds one of them succeeds. */
  answers: z.array(z.string()).readonly().optional(),
  tags: z.array(z.string()).readonly().optional(),
});
/** A query of an eval set with what a complete answer must cover. */
export type Query = Read<typeof querySchema>;

export const decidedVerdictSchema = z.enum(DECIDED_VERDICTS);
/** A verdict that takes a side: all that a reference, an agent of a debate or a threshold can say. */
export type DecidedVerdict = z.output<typeof decidedVerdictSchema>;

export const verdictSchema = z.enum(VERDICTS);
/** The answer to "does this passage support this perspective?". */
export type Verdict = z.output<typeof verdictSchema>;

export const judgementSourceSchema = z.enum(JUDGEMENT_SOURCES);
/** Who gave a judgement. */
export type JudgementSource = z.output<typeof judgementSourceSchema>;

export const judgedBySchema = z.object({
  source: judgementSourceSchema,
  /** Name of the judge; `people` for human labels. */
  judge: z.string(),
  count: some,
  /** An offline one, to be labelled as such. */
  heuristic: z.boolean(),
  /** Those of them that are "yes" with a quotation that is not in the passage; absent where there are none. */
  evidenceNotFound: some.optional(),
  /** Those of them that are labels of whole documents, of which the passage is a part; absent where there are none. */
  ofDocuments: some.optional(),
});
/** How much rests on the word of one judge, or of people, who are one however many they are. */
export type JudgedBy = Read<typeof judgedBySchema>;

const costSchema = z.object({
  /** Repeated ones included. */
  requests: amount,
  promptTokens: amount.optional(),
  completionTokens: amount.optional(),
  /** From the first request to the answer; of requests sent at the same time, the slowest counts. */
  milliseconds: amount,
});
/**
 * The cost of an answer, as far as the endpoint reports it. An answer that is remembered, or shared by
 * several who asked at the same time, keeps the cost it was given at; a request that answered several pairs
 * counts in equal parts, so that requests and tokens may be fractions.
 */
export type JudgementCost = Read<typeof costSchema>;

const argumentSchema = z.object({
  model: z.string(),
  /** Absent where no label could be read from the answer. */
  label: decidedVerdictSchema.optional(),
  /** Empty where the model gave none. */
  argument: z.string(),
  /** Quoted spans, relative to the passage. */
  evidence: z.array(spanSchema).readonly(),
  /** Why there is no label, as a sentence. */
  unparsable: z.string().optional(),
});
/** One model's argument in a debate. */
export type Argument = Read<typeof argumentSchema>;

const debateTurnSchema = argumentSchema.extend({
  /** The label it was told to begin from. */
  initialStance: decidedVerdictSchema,
});
/** An agent's part in one round. */
export type DebateTurn = Read<typeof debateTurnSchema>;

const roundsSchema = z.array(z.array(debateTurnSchema).readonly()).readonly();

const debateSchema = z.object({
  /** In each round one turn per agent, in the order of the agents. */
  rounds: roundsSchema,
  /** The adjudicator's argument after the last round, where it was asked. */
  adjudication: argumentSchema.optional(),
  /** Rounds held after the agreement, to see whether it lasts. They decide nothing. */
  further: roundsSchema.optional(),
});
/** The history of a debate (DREAM, section 3.1). */
export type Debate = Read<typeof debateSchema>;

const escalationSchema = z.enum(['adjudicator', 'human']);
/** Who has, or is to have, the last word where a judge could not decide by itself. */
export type Escalation = z.output<typeof escalationSchema>;

export const judgementSchema = z.object({
  verdict: verdictSchema,
  /** Where in the passage's text the support stands; offsets are relative to the passage. */
  evidence: z.array(spanSchema).readonly(),
  source: judgementSourceSchema,
  /** Name of the judge or the person. */
  judge: z.string(),
  /** "Yes" with quoted words of which none stand in the passage: support that nothing shows. Absent otherwise. */
  evidenceNotFound: z.boolean().optional(),
  /** A label of the whole document, of which this passage is a part. Absent otherwise. */
  ofDocument: z.boolean().optional(),
  rationale: z.string().optional(),
  /** Probability that the passage supports the perspective, where the judge gives one. */
  confidence: z.number().optional(),
  model: z.string().optional(),
  promptVersion: z.string().optional(),
  /** Version of the support standard that was applied, e.g. `berds-1`. */
  standard: z.string(),
  /** ISO 8601. */
  at: z.string(),
  cost: costSchema.optional(),
  debate: debateSchema.optional(),
  escalated: escalationSchema.optional(),
  /** The judge within a filter whose answer this is. */
  stage: z.string().optional(),
  /** Of a label: the chance with which its query was drawn to be put to people. */
  chance: z.number().optional(),
});
/** From the judge to the editor, kept and sent as it is. */
export type Judgement = Read<typeof judgementSchema>;

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
 * an absent passage is unjudged. Plain qrels hold one perspective, `PLAIN_PERSPECTIVE`.
 */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, number>>>;
