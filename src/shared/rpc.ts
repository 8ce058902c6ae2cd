/**
 * What the editor (or the command line) asks of the engine, and what the engine asks back.
 * One schema per request and answer; both ends validate what they receive.
 */
import * as z from 'zod';
import { externalRetrieverSchema } from '../core/external/spec.ts';
import { storeRetrieverSchema } from '../core/external/stores.ts';
import { labelledPairSchema } from '../core/formats/labelled-pairs.ts';
import { historyEntrySchema } from '../core/history/entry.ts';
import { judgementExtras } from '../core/judging/record.ts';
import { PROPOSED_STANCES } from '../core/judging/stance.ts';
import { JUDGEMENT_SOURCES } from '../core/model.ts';
import { pipelineSchema, SEARCH_KINDS } from '../core/pipeline.ts';
import { ANSWER_BASELINES, answerReportSchema } from './answers.ts';
import { acceptReportSchema, buildEffortSchema, buildReportSchema, buildSchema } from './building.ts';
import { capturedSchema } from './capture.ts';
import { comparisonSchema, keptComparisonSchema, movementSchema } from './compare.ts';
import { configSchema, corpusSchema, embedderSchema, judgeSchema } from './config.ts';
import {
  entryComparisonSchema,
  evaluationSummarySchema,
  gateReportSchema,
  unreachedSchema,
} from './evaluation.ts';
import { matchesSchema } from './matches.ts';
import { poolReportSchema } from './pool.ts';
import {
  labelAgreementSchema,
  reviewAddedSchema,
  reviewEntrySchema,
  reviewQueueSchema,
  saidSchema,
} from './review.ts';
import { validationReportSchema } from './validation.ts';
import { fetchWebSchema, webReportSchema } from './web.ts';

const span = z.object({ start: z.number().int().min(0), end: z.number().int().min(0) });
const lines = z.object({ startLine: z.number().int().min(0), endLine: z.number().int().min(0) });

export const perspectiveSchema = z.object({
  id: z.string().min(1),
  text: z.string().min(1),
  stance: z.enum(['support', 'oppose']).optional(),
  group: z.string().optional(),
});

/** A query as typed (no id) or from an eval set. */
export const querySchema = z.object({ id: z.string().optional(), text: z.string() });

/** A query of an eval set with what a complete answer must cover. */
export const evalQuerySchema = z.object({
  id: z.string(),
  text: z.string(),
  perspectives: z.array(perspectiveSchema),
  tags: z.array(z.string()).optional(),
});

export const corpusRefSchema = z.object({
  name: z.string(),
  /** Folder that roots, document ids and model folders are relative to. */
  base: z.string(),
  config: corpusSchema,
  /** Globs hidden by the editor (`files.exclude`). */
  excludeGlobs: z.array(z.string()),
  /** Folder of the index. */
  store: z.string(),
  /** Nothing outside of `base` is read, as the workspace is not trusted. */
  fenced: z.boolean().optional(),
});
export type CorpusRef = z.output<typeof corpusRefSchema>;

export const engineConfigSchema = z.object({
  /** Folder for what belongs to no single corpus: the judgement cache. `:memory:` for none. */
  storage: z.string(),
  base: z.string(),
  /** Whether commands, endpoints and models that the workspace names may be used, and files outside of `base`. */
  trusted: z.boolean(),
  corpora: z.array(corpusRefSchema),
  embedders: z.record(z.string(), embedderSchema),
  judges: z.record(z.string(), judgeSchema),
  /** The judge whose model proposes perspectives and rewrites queries. */
  generator: z.string().optional(),
  /** API keys by name. They live in memory only and are never written or logged. */
  keys: z.record(z.string(), z.string()),
  /** Human labels; absent where there is no workspace folder. */
  labelsFile: z.string().optional(),
  /** From this many passages on, `search: "auto"` is approximate. */
  approximateAbove: z.number().int().min(0),
});
export type EngineConfig = z.output<typeof engineConfigSchema>;

export const candidateSchema = z.object({
  slot: z.number().int(),
  id: z.string(),
  documentId: z.string(),
  title: z.string(),
  path: z.string(),
  text: z.string(),
  hash: z.string(),
  span,
  lines,
  verbatim: z.boolean(),
  recordLine: z.number().int().optional(),
  score: z.number(),
  /** Its rank before the rerankers, from 1. */
  retrievedRank: z.number().int().optional(),
});
/** A retrieved passage with its score. */
export type Candidate = z.output<typeof candidateSchema>;

const judgementSchema = z.object({
  verdict: z.enum(['yes', 'no', 'unsure']),
  evidence: z.array(span),
  source: z.enum(JUDGEMENT_SOURCES),
  judge: z.string(),
  rationale: z.string().optional(),
  confidence: z.number().optional(),
  model: z.string().optional(),
  promptVersion: z.string().optional(),
  standard: z.string(),
  at: z.string(),
  ...judgementExtras,
});

/** A judgement of one pair; absent pairs are unjudged. */
const judgedPairSchema = z.object({
  slot: z.number().int(),
  perspectiveId: z.string(),
  judgement: judgementSchema,
});
export type JudgedPair = z.output<typeof judgedPairSchema>;

/** A passage of the corpus that is known to support a perspective. */
const supporterSchema = z.object({ perspectiveId: z.string(), passageId: z.string(), path: z.string() });

export const corpusStatusSchema = z.object({
  indexed: z.boolean(),
  documents: z.number().int(),
  passages: z.number().int(),
  skipped: z.number().int(),
  notices: z.array(z.string()),
});
export type CorpusStatus = z.output<typeof corpusStatusSchema>;

export const skippedFileSchema = z.object({ path: z.string(), reason: z.string(), message: z.string() });

export const indexReportSchema = z.object({
  added: z.number().int(),
  changed: z.number().int(),
  deleted: z.number().int(),
  unchanged: z.number().int(),
  skipped: z.number().int(),
  documents: z.number().int(),
  passages: z.number().int(),
  milliseconds: z.number(),
});
export type IndexReport = z.output<typeof indexReportSchema>;

const progressSchema = z.object({
  done: z.number(),
  total: z.number().optional(),
  detail: z.string().optional(),
});

const judgeReportSchema = z.object({
  asked: z.number().int(),
  answered: z.number().int(),
  cached: z.number().int(),
  unparsable: z.number().int(),
  failed: z.number().int(),
  /** Pairs that the judge could not decide by itself. */
  escalated: z.number().int().optional(),
  /** Why pairs failed: the first failure, as a sentence and as an id. */
  error: z.string().optional(),
  errorId: z.string().optional(),
});
export type JudgeReport = z.output<typeof judgeReportSchema>;

/** Passages × perspectives of one query, and the judge whose word is wanted. */
const matterSchema = z.object({
  corpus: z.string(),
  judge: z.string(),
  query: querySchema,
  perspectives: z.array(perspectiveSchema),
  slots: z.array(z.number().int()),
});

/** A full query, and what it says without its perspective and which that is. */
const querySplitSchema = z.object({ full: z.string(), root: z.string(), perspective: z.string().optional() });

const float64Array = z.custom<Float64Array>((value) => value instanceof Float64Array);

const rangeSchema = z.object({ least: z.number(), most: z.number() });
const effortSchema = z.object({
  requests: rangeSchema,
  promptTokens: rangeSchema,
  completionTokens: rangeSchema,
  price: rangeSchema.optional(),
});
/** Per million tokens, by model. */
export const pricesSchema = z
  .record(z.string(), z.object({ input: z.number().min(0), output: z.number().min(0) }))
  .optional();
const budgetSchema = z.object({
  requests: z.number().int().min(0).optional(),
  tokens: z.number().int().min(0).optional(),
});

/** A comparison's questions and pipelines, and how much of their top k is to be judged. */
const compareSchema = z.object({
  judge: z.string(),
  datasets: z
    .array(
      z.object({
        name: z.string(),
        corpus: z.string(),
        evalSet: z.string(),
        queries: z.array(evalQuerySchema).min(1),
      }),
    )
    .min(1),
  pipelines: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })).min(1),
  k: z.number().int().min(1),
});
/** Whether retrieval helps answers; `judge` has the word on answers, and on passages as far as it said it before. */
const answersSchema = compareSchema.extend({
  /** The judge whose model writes; the workspace's generator, or else the judge, when left out. */
  generator: z.string().optional(),
  baselines: z.array(z.enum(ANSWER_BASELINES)).default([...ANSWER_BASELINES]),
});
/** What is evaluated as `parallax gate` does it. */
const evaluateSchema = z.object({
  /** parallax.json as it is now. */
  config: configSchema,
  /** By names or paths; all of parallax.json when left out. */
  evalSets: z.array(z.string()).min(1).optional(),
  /** Whether a judge that costs something may be asked. */
  ask: z.boolean(),
  budget: budgetSchema.optional(),
});
const figuresSchema = compareSchema.extend({ scope: z.enum(['figures', 'everything']) });

/** Requests the engine answers. */
export const engineMethods = {
  configure: { params: engineConfigSchema, result: z.object({ version: z.string() }) },
  status: { params: z.object({ corpus: z.string() }), result: corpusStatusSchema },
  skipped: {
    params: z.object({ corpus: z.string() }),
    result: z.object({ files: z.array(skippedFileSchema) }),
  },
  index: { params: z.object({ corpus: z.string(), rebuild: z.boolean() }), result: indexReportSchema },
  search: {
    params: z.object({
      corpus: z.string(),
      query: querySchema,
      perspectives: z.array(perspectiveSchema),
      pipeline: pipelineSchema,
    }),
    result: z.object({
      candidates: z.array(candidateSchema),
      search: z.enum(SEARCH_KINDS),
      milliseconds: z.number(),
      /** What a model made of the query, where the pipeline has it taken apart; no perspective where it found none. */
      splits: z.array(querySplitSchema).optional(),
      /** How what the user's own retriever returned was recognised; absent where none was asked. */
      matches: matchesSchema.optional(),
    }),
  },
  /** Cosines of all pairs of passages, [n, n] in the order of the slots. */
  similarities: {
    params: z.object({
      corpus: z.string(),
      embedder: z.string(),
      slots: z.array(z.number().int()).max(1000),
    }),
    result: z.object({ matrix: float64Array }),
  },
  /**
   * What it takes to order passages under any weight of the pipeline's projection, or of PAP where it has none:
   * one entry per perspective; see `ReducedProjection`.
   */
  projections: {
    params: z.object({
      corpus: z.string(),
      query: querySchema,
      perspectives: z.array(perspectiveSchema),
      pipeline: pipelineSchema,
      slots: z.array(z.number().int()).max(10_000),
    }),
    result: z.object({
      projections: z.array(
        z.object({
          query: float64Array,
          root: float64Array,
          perspective: float64Array,
          passages: float64Array,
        }),
      ),
    }),
  },
  /** What is known about these passages and perspectives without asking anybody. */
  judgements: {
    params: matterSchema,
    result: z.object({ pairs: z.array(judgedPairSchema), supporters: z.array(supporterSchema) }),
  },
  /** How many of these pairs the judge would have to be asked, and what that would cost. */
  judgeCost: {
    params: matterSchema.extend({ prices: pricesSchema }),
    result: z.object({ calls: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  judge: {
    params: matterSchema.extend({ budget: budgetSchema.optional() }),
    result: judgeReportSchema,
  },
  generatePerspectives: {
    params: z.object({ judge: z.string(), query: z.string(), count: z.number().int().min(1).max(8) }),
    result: z.object({ perspectives: z.array(z.object({ name: z.string(), text: z.string() })) }),
  },
  /** On which side of a question its perspectives stand, in their order, as a model says. */
  proposeStances: {
    params: z.object({
      judge: z.string(),
      query: z.string(),
      perspectives: z.array(z.string().min(1)).min(1).max(32),
    }),
    result: z.object({ stances: z.array(z.enum(PROPOSED_STANCES)), model: z.string() }),
  },
  label: {
    params: z.object({
      corpus: z.string(),
      slot: z.number().int(),
      query: querySchema,
      perspective: perspectiveSchema,
      verdict: z.enum(['yes', 'no', 'unsure']),
      by: z.string(),
      /** Beside whose answers it is given; people are held to the same support standard. */
      judge: z.string().optional(),
    }),
    result: z.object({}),
  },
  passage: {
    params: z.object({ corpus: z.string(), passageId: z.string() }),
    result: candidateSchema.omit({ score: true, retrievedRank: true }),
  },
  /** Several pipelines on the queries of one or several eval sets. The result is kept. */
  compare: { params: compareSchema, result: comparisonSchema },
  /** What it would cost at most to have judged what the figures of a comparison rest on. */
  figuresCost: {
    params: figuresSchema.extend({ prices: pricesSchema }),
    result: z.object({ pairs: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  /** Has it judged. Answers are kept as they arrive: a run that stopped goes on where it was. */
  judgeFigures: {
    params: figuresSchema.extend({ budget: budgetSchema.optional() }),
    result: z.object({
      pairs: z.number().int(),
      known: z.number().int(),
      asked: z.number().int(),
      answered: z.number().int(),
      failed: z.number().int(),
      /** Pairs that no figure depends on. */
      saved: z.number().int(),
      /** Queries whose figures are exactly those of the full matrix. */
      settled: z.number().int(),
      queries: z.number().int(),
      /** Sent now, repeated ones included. */
      requests: z.number(),
      /** The budget was spent before all was settled. */
      stopped: z.boolean(),
      error: z.string().optional(),
    }),
  },
  /** Holes of the pipelines, from what has been judged; `judgeFigures` with scope "everything" judges the pool. */
  pool: { params: compareSchema, result: poolReportSchema },
  /** Has questions answered from every pipeline's top k and from baselines, and the answers judged. Replies are kept. */
  answers: { params: answersSchema.extend({ budget: budgetSchema.optional() }), result: answerReportSchema },
  /** What that would cost: different answers, how many of them are there, and the effort for the rest. */
  answersCost: {
    params: answersSchema.extend({ prices: pricesSchema }),
    result: z.object({ answers: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  /** Comparisons that were kept, newest first. */
  keptComparisons: { params: z.object({}), result: z.object({ kept: z.array(keptComparisonSchema) }) },
  keptComparison: { params: z.object({ id: z.string() }), result: comparisonSchema },
  forgetComparison: { params: z.object({ id: z.string() }), result: z.object({}) },
  /**
   * Eval sets against what parallax.json demands. Corpora must be indexed. `baseline`: whether one is compared with;
   * `present`: where parallax.json names one, or the default one is there. The result is kept in the history.
   */
  evaluate: {
    params: evaluateSchema.extend({ baseline: z.enum(['none', 'present', 'required']) }),
    result: gateReportSchema,
  },
  /** Evaluates, and writes what was found as the baseline; `isNew` where that changed the file. */
  acceptBaseline: {
    params: evaluateSchema.omit({ evalSets: true }),
    result: z.object({ file: z.string(), isNew: z.boolean() }),
  },
  /** Writes an evaluation of the past as the baseline; it must have all that would be evaluated now. */
  acceptEvaluation: {
    params: evaluateSchema.pick({ config: true }).extend({ id: z.string() }),
    result: z.object({ file: z.string(), isNew: z.boolean() }),
  },
  /** Evaluations of the past, newest first. */
  evaluationHistory: {
    params: z.object({}),
    result: z.object({ evaluations: z.array(evaluationSummarySchema) }),
  },
  evaluationEntry: { params: z.object({ id: z.string() }), result: historyEntrySchema },
  /** Two of them, query by query. */
  compareEvaluations: {
    params: z.object({ then: z.string(), now: z.string() }),
    result: entryComparisonSchema,
  },
  /** Which documents of a corpus none of the pipelines reaches within the top k for any of the queries. */
  unreached: {
    params: compareSchema.pick({ pipelines: true, k: true }).extend({
      corpus: z.string(),
      queries: z.array(evalQuerySchema).min(1),
    }),
    result: unreachedSchema,
  },
  /** What every pipeline of a kept comparison ranked for one query. */
  movement: {
    params: z.object({
      id: z.string(),
      dataset: z.string(),
      queryId: z.string(),
      depth: z.number().int().min(1).max(100),
    }),
    result: movementSchema,
  },
  /** How good judges are on labelled pairs: those given, those of a file, or the workspace's own labels. */
  validateJudge: {
    params: z.object({
      judges: z.array(z.string()).min(1),
      /** A judge whose answers count as true instead of labels. */
      reference: z.string().optional(),
      pairs: z.array(labelledPairSchema).min(1).optional(),
      /** Absolute, or relative to the folder of parallax.json. */
      labelsFile: z.string().optional(),
      /** The corpus that a workspace's labels are about. */
      corpus: z.string().optional(),
      /** Queries that say where their perspectives stand. */
      queries: z.array(evalQuerySchema).optional(),
      repeats: z.number().int().min(1).max(100).optional(),
      /** Also hold debates with the agents swapped. */
      swap: z.boolean().optional(),
      /** Use so many pairs only, drawn at random. */
      limit: z.number().int().min(1).optional(),
    }),
    result: validationReportSchema,
  },
  /** Pairs that wait for a person's answer. */
  reviewQueue: { params: z.object({ by: z.string() }), result: reviewQueueSchema },
  /** One of them, with what helps to decide it. */
  reviewItem: {
    params: z.object({ id: z.string() }),
    result: z.object({
      entry: reviewEntrySchema,
      passage: candidateSchema.omit({ score: true, retrievedRank: true }),
      standard: z.object({ id: z.string(), summary: z.string() }),
      /** What judges say, where that has to be decided. */
      opinions: z.array(judgementSchema),
      /** What people said before, where they are divided or contradict a judge. */
      said: z.array(saidSchema),
    }),
  },
  /** Puts pairs into the queue that fit; `seed` makes a random choice repeatable. */
  reviewAdd: {
    params: z.discriminatedUnion('from', [
      /** What judges left to people, and what they contradict each other or people in. */
      z.object({ from: z.literal('memory'), corpus: z.string(), queries: z.array(evalQuerySchema) }),
      /** Judged pairs at random. */
      z.object({
        from: z.literal('sample'),
        corpus: z.string(),
        judge: z.string(),
        queries: z.array(evalQuerySchema),
        count: z.number().int().min(1).max(1000),
        people: z.number().int().min(1).max(3),
        seed: z.number().int(),
      }),
      /** Pairs whose answer is known, to see how carefully a person reads. */
      z.object({
        from: z.literal('attention'),
        corpus: z.string(),
        queries: z.array(evalQuerySchema),
        count: z.number().int().min(1).max(100),
        by: z.string(),
        seed: z.number().int(),
      }),
      /** What nobody has judged of a query's passages. */
      matterSchema.extend({ from: z.literal('query') }),
      /** What nobody has judged in the top k of a kept comparison. */
      z.object({ from: z.literal('comparison'), id: z.string() }),
    ]),
    result: reviewAddedSchema,
  },
  /** A label, or the answer to an attention check; `at` names it when it is to be taken back. */
  reviewAnswer: {
    params: z.object({
      id: z.string(),
      verdict: z.enum(['yes', 'no', 'unsure']),
      by: z.string(),
      note: z.string().min(1).optional(),
    }),
    result: z.object({ at: z.string() }),
  },
  reviewUndo: {
    params: z.object({ id: z.string(), by: z.string(), at: z.string() }),
    result: z.object({}),
  },
  /** Puts a pair behind all others. */
  reviewSkip: { params: z.object({ id: z.string() }), result: z.object({}) },
  /** Takes pairs out of the queue without an answer. */
  reviewRemove: { params: z.object({ ids: z.array(z.string()).max(10_000) }), result: z.object({}) },
  /** How far the people who labelled agree. */
  labelAgreement: { params: z.object({}), result: labelAgreementSchema },
  /** What it would take to build drafts of an eval set. */
  buildEffort: { params: buildSchema, result: buildEffortSchema },
  /** Builds them. Replies are kept as they arrive: a run that stopped goes on where it was. */
  build: {
    params: buildSchema.extend({ requests: z.number().int().min(0).optional() }),
    result: buildReportSchema,
  },
  /** Adds the accepted drafts of a file to an eval set, and puts their passages up for review. Absolute paths. */
  acceptDrafts: {
    params: z.object({ drafts: z.string().min(1), evalSet: z.string().min(1), corpus: z.string() }),
    result: acceptReportSchema,
  },
  /** Puts up for review what pipelines find for queries, near-duplicates left out (BERDS, appendix A.4). */
  labelSet: {
    params: z.object({
      corpus: z.string(),
      queries: z.array(evalQuerySchema).min(1),
      pipelines: z.array(pipelineSchema).min(1).max(8),
      k: z.number().int().min(1).max(100),
    }),
    result: reviewAddedSchema.extend({ duplicates: z.number().int() }),
  },
  /** Whether one of the user's own retrievers can be asked, as a sentence that says why not where it cannot. */
  checkRetriever: {
    params: z.object({ retriever: externalRetrieverSchema }),
    result: z.object({ ok: z.boolean(), message: z.string(), count: z.number().int().optional() }),
  },
  /** What a store holds, page by page in its own order, as passages that can be judged and labelled. */
  storedPassages: {
    params: z.object({
      corpus: z.string(),
      store: storeRetrieverSchema,
      /** `next` of the page before; the first page when left out. */
      from: z.string().optional(),
      limit: z.number().int().min(1).max(1000),
    }),
    result: z.object({
      passages: z.array(candidateSchema.omit({ score: true, retrievedRank: true })),
      matches: matchesSchema,
      next: z.string().optional(),
    }),
  },
  /**
   * Receives what an instrumented program retrieves until it is cancelled, and then ends. Where to send it is
   * reported once, as `capturing`; every retrieval that arrives is reported as `captured`.
   */
  capture: { params: z.object({}), result: z.object({}) },
  /** The newest retrievals that were captured, recognised in a corpus; no model is asked about them. */
  captured: {
    params: z.object({
      corpus: z.string(),
      judge: z.string(),
      /** Questions that perspectives are known of; of several with the same text the first counts. */
      queries: z.array(querySchema.extend({ perspectives: z.array(perspectiveSchema) })),
      /** Id of one that is known: only newer ones are told, and all where it was forgotten. */
      after: z.string().optional(),
    }),
    result: capturedSchema,
  },
  forgetCaptured: { params: z.object({}), result: z.object({}) },
  /** The pages that a search provider finds for queries, as a snapshot in the workspace; goes on where it stopped. */
  fetchWeb: { params: fetchWebSchema, result: webReportSchema },
  /** The extracted text of a document, for formats that the editor cannot show as text. */
  documentText: {
    params: z.object({ corpus: z.string(), documentId: z.string() }),
    result: z.object({ text: z.string(), title: z.string() }),
  },
} as const;
export type EngineMethods = typeof engineMethods;
export type EngineMethod = keyof EngineMethods;
export type Params<M extends EngineMethod> = z.output<EngineMethods[M]['params']>;
export type Result<M extends EngineMethod> = z.output<EngineMethods[M]['result']>;

/**
 * Reported while a request is under way; `judgement` arrives for each pair as it is answered, `captured` for each
 * retrieval.
 */
export const progressNoteSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), progress: progressSchema }),
  z.object({ type: z.literal('judgement'), pair: judgedPairSchema }),
  /** For OTEL_EXPORTER_OTLP_TRACES_ENDPOINT; holds the token, so it is never logged. */
  z.object({ type: z.literal('capturing'), url: z.string() }),
  z.object({ type: z.literal('captured') }),
]);
export type ProgressNote = z.output<typeof progressNoteSchema>;

/** Requests the editor answers for the engine: the models it offers to extensions. */
export const hostMethods = {
  complete: {
    params: z.object({
      vendor: z.string().optional(),
      family: z.string().optional(),
      id: z.string().optional(),
      messages: z.array(z.object({ role: z.enum(['system', 'user']), content: z.string() })),
    }),
    result: z.object({ text: z.string(), model: z.string() }),
  },
} as const;
export type HostMethods = typeof hostMethods;
export type HostMethod = keyof HostMethods;

/** Wire names. */
export const ENGINE_PREFIX = 'engine/';
export const HOST_PREFIX = 'host/';
export const PROGRESS_NOTE = '$/parallax/progress';
export const LOG_NOTE = '$/parallax/log';

export const logNoteSchema = z.object({ level: z.enum(['info', 'warn', 'error']), message: z.string() });

/** How a {@link ParallaxError} crosses the wire: as the data of a JSON-RPC error. */
export const wireErrorSchema = z.object({ id: z.string(), message: z.string() });
