/**
 * The core types of the project. Data from files, models or other processes has its schema here, and its type is
 * derived from the schema.
 *
 * Offsets are UTF-16 code units into the document's extracted text, half-open. Lines count from 0.
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
  /** Stable as long as the document and its splitting do not change. The record's own id for unsplit records. */
  id: z.string(),
  /** The document's id: its path relative to the corpus root, with `#n` for the n-th record of a file. */
  documentId: z.string(),
  /** The title of its document. */
  title: z.string(),
  /** The headings above it, outermost first, `A › B`, or its page, `p. 3`. `undefined` if there is neither. */
  section: z.string().optional(),
  text: z.string(),
  span: spanSchema,
  lines: lineRangeSchema,
});
/** The unit that is indexed, retrieved and judged. */
export type Passage = Read<typeof passageSchema>;

export const stanceSchema = z.enum(STANCES);
/** Whether a perspective is for or against the question. `undefined` if the eval set does not state it. */
export type Stance = z.output<typeof stanceSchema>;

export const stanceSourceSchema = z.enum(STANCE_SOURCES);
/** Who set the stance: a person, or a model whose proposal a person accepted. */
export type StanceSource = z.output<typeof stanceSourceSchema>;

export const perspectiveSchema = z.object({
  id: z.string().min(1),
  text: z.string().min(1),
  stance: stanceSchema.optional(),
  /** `undefined` if the eval set does not state it. */
  stanceBy: stanceSourceSchema.optional(),
  group: z.string().optional(),
  /** The id of a document: its passages support the perspective, and no others do. No judge is asked. */
  document: z.string().min(1).optional(),
  /** Gold answers of the query: a passage that supports any of them supports the perspective. */
  anyOf: z.array(z.string()).readonly().optional(),
  /** The lowest rank that the document may have. Defaults to the gate's k. */
  within: some.optional(),
});
/** A statement that a complete answer to a query must cover. */
export type Perspective = Read<typeof perspectiveSchema>;

export const querySchema = z.object({
  id: z.string(),
  text: z.string(),
  perspectives: z.array(perspectiveSchema).readonly(),
  /** Set if the corpus has no answer: every retrieved passage is wrong, and there is nothing to cover. */
  answerable: z.literal(false).optional(),
  /** Gold answers. A written answer that contains one of them succeeds. Without perspectives, they are one. */
  answers: z.array(z.string()).readonly().optional(),
  tags: z.array(z.string()).readonly().optional(),
});
/** A query of an eval set with the perspectives that a complete answer must cover. */
export type Query = Read<typeof querySchema>;

export const decidedVerdictSchema = z.enum(DECIDED_VERDICTS);
/** A verdict without "unsure", for references, agents of a debate and thresholds. */
export type DecidedVerdict = z.output<typeof decidedVerdictSchema>;

export const verdictSchema = z.enum(VERDICTS);
/** The answer to "does this passage support this perspective?". */
export type Verdict = z.output<typeof verdictSchema>;

export const judgementSourceSchema = z.enum(JUDGEMENT_SOURCES);
export type JudgementSource = z.output<typeof judgementSourceSchema>;

export const judgedBySchema = z.object({
  source: judgementSourceSchema,
  /** Name of the judge, `people` for human labels. */
  judge: z.string(),
  count: some,
  /** Whether the judge is an offline heuristic, which outputs must mention. */
  heuristic: z.boolean(),
  /** How many are "yes" with a quote that is not in the passage. `undefined` if there are none. */
  evidenceNotFound: some.optional(),
  /** How many are labels of whole documents that contain the passage. `undefined` if there are none. */
  ofDocuments: some.optional(),
});
/** The number of judgements from one judge, or from all people together. */
export type JudgedBy = Read<typeof judgedBySchema>;

const costSchema = z.object({
  /** Including retries. */
  requests: amount,
  promptTokens: amount.optional(),
  completionTokens: amount.optional(),
  /** From the first request to the answer. For parallel requests, the slowest counts. */
  milliseconds: amount,
});
/**
 * The cost of an answer, as far as the endpoint reports it. A cached or shared answer keeps its original cost. A
 * request for several pairs is divided equally among them, so requests and tokens may be fractions.
 */
export type JudgementCost = Read<typeof costSchema>;

const argumentSchema = z.object({
  model: z.string(),
  /** `undefined` if no label could be read from the answer. */
  label: decidedVerdictSchema.optional(),
  /** Empty if the model gave none. */
  argument: z.string(),
  /** Quoted spans, as offsets into the passage. */
  evidence: z.array(spanSchema).readonly(),
  /** A sentence on why there is no label. */
  unparsable: z.string().optional(),
});
/** One model's argument in a debate. */
export type Argument = Read<typeof argumentSchema>;

const debateTurnSchema = argumentSchema.extend({
  /** The label that its prompt gave it to start from. */
  initialStance: decidedVerdictSchema,
});
/** An agent's part in one round. */
export type DebateTurn = Read<typeof debateTurnSchema>;

const roundsSchema = z.array(z.array(debateTurnSchema).readonly()).readonly();

const debateSchema = z.object({
  /** In each round, one turn per agent in the order of the agents. */
  rounds: roundsSchema,
  /** The adjudicator's argument after the last round, if it was asked. */
  adjudication: argumentSchema.optional(),
  /** Rounds after the agreement, to see whether it lasts. They decide nothing. */
  further: roundsSchema.optional(),
});
/** The history of a debate (DREAM, section 3.1). */
export type Debate = Read<typeof debateSchema>;

const escalationSchema = z.enum(['adjudicator', 'human']);
/** Who decides if a judge could not. */
export type Escalation = z.output<typeof escalationSchema>;

export const judgementSchema = z.object({
  verdict: verdictSchema,
  /** Spans of the supporting text, relative to the passage. */
  evidence: z.array(spanSchema).readonly(),
  source: judgementSourceSchema,
  /** Name of the judge or the person. */
  judge: z.string(),
  /** Whether this is a "yes" with a quote that is not in the passage. Otherwise `undefined`. */
  evidenceNotFound: z.boolean().optional(),
  /** Whether this is a label of the whole document. Otherwise `undefined`. */
  ofDocument: z.boolean().optional(),
  rationale: z.string().optional(),
  /** Probability that the passage supports the perspective, if the judge gives one. */
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
  /** The judge within a filter that gave this answer. */
  stage: z.string().optional(),
  /** For labels: the probability with which the query was drawn for labelling. */
  chance: z.number().optional(),
});
/** Stored and sent unchanged from the judge to the editor. */
export type Judgement = Read<typeof judgementSchema>;

/** One entry of a ranking. Higher scores are better, and ranks count from 1. */
export interface Ranked<T = string> {
  readonly item: T;
  readonly score: number;
}

/** Ranked passage ids per query id, best first. */
export type Run = ReadonlyMap<string, readonly Ranked[]>;

/**
 * Judgements for metrics: query id → perspective id → passage id → relevance. Relevance above 0 means that the passage
 * supports the perspective, 0 that it was judged not to. Missing passages are unjudged. Plain qrels have one
 * perspective, `PLAIN_PERSPECTIVE`.
 */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, number>>>;
