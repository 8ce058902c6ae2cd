/**
 * What the editor (or the command line) asks of the engine, and what the engine asks back.
 * One schema per request and answer; both ends validate what they receive.
 */
import * as z from 'zod';
import { JUDGEMENT_SOURCES } from '../core/model.ts';
import { pipelineSchema } from '../core/pipeline.ts';
import { comparisonSchema } from './compare.ts';
import { corpusSchema, embedderSchema, judgeSchema } from './config.ts';

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
  /** Folder of the index, or `:memory:`. */
  store: z.string(),
});
export type CorpusRef = z.output<typeof corpusRefSchema>;

export const engineConfigSchema = z.object({
  /** Folder for what belongs to no single corpus: the judgement cache. `:memory:` for none. */
  storage: z.string(),
  base: z.string(),
  /** Whether models that a pipeline names by their path may be loaded. */
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
      search: z.enum(['exact', 'approximate']),
      milliseconds: z.number(),
    }),
  },
  /** Cosines of all pairs of passages, [n, n] in the order of the slots. */
  similarities: {
    params: z.object({
      corpus: z.string(),
      embedder: z.string(),
      slots: z.array(z.number().int()).max(1000),
    }),
    result: z.object({ matrix: z.custom<Float64Array>((value) => value instanceof Float64Array) }),
  },
  /** What is known about these passages and perspectives without asking anybody. */
  judgements: {
    params: matterSchema,
    result: z.object({ pairs: z.array(judgedPairSchema), supporters: z.array(supporterSchema) }),
  },
  /** How many of these pairs the judge would have to be asked. */
  judgeCost: {
    params: matterSchema,
    result: z.object({ calls: z.number().int(), known: z.number().int() }),
  },
  judge: {
    params: matterSchema,
    result: judgeReportSchema,
  },
  generatePerspectives: {
    params: z.object({ judge: z.string(), query: z.string(), count: z.number().int().min(1).max(8) }),
    result: z.object({ perspectives: z.array(z.object({ name: z.string(), text: z.string() })) }),
  },
  label: {
    params: z.object({
      corpus: z.string(),
      slot: z.number().int(),
      query: querySchema,
      perspective: perspectiveSchema,
      verdict: z.enum(['yes', 'no', 'unsure']),
      by: z.string(),
    }),
    result: z.object({}),
  },
  passage: {
    params: z.object({ corpus: z.string(), passageId: z.string() }),
    result: candidateSchema.omit({ score: true, retrievedRank: true }),
  },
  /** Several pipelines on the queries of an eval set. */
  compare: {
    params: z.object({
      corpus: z.string(),
      judge: z.string(),
      evalSet: z.string(),
      queries: z.array(evalQuerySchema).min(1),
      pipelines: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })).min(1),
      k: z.number().int().min(1),
    }),
    result: comparisonSchema,
  },
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

/** Reported while a request is under way; `judgement` arrives for each pair as it is answered. */
export const progressNoteSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), progress: progressSchema }),
  z.object({ type: z.literal('judgement'), pair: judgedPairSchema }),
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
