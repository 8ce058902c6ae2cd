/**
 * The protocol between a running program and Parallax: the plan that Parallax writes before a run, and the messages of
 * one connection per process, as JSON lines in both directions. The hooks in media/live are not bundled and import
 * nothing from here; tests check that they conform.
 */
import * as z from 'zod';
import type { Read, Written } from '../../../core/read.ts';

export const LIVE_PROTOCOL = 1;

/** The environment variable with the path of the plan. */
export const LIVE_VARIABLE = 'PARALLAX_LIVE';

/** Limits on what hooks send. Values mark where they were cut. */
export const LIVE_LIMITS = {
  /** Characters of one text. */
  text: 100_000,
  /** Elements of a list, and fields of an object. */
  items: 200,
  /** Nesting of objects. */
  depth: 8,
  /** Values in a message on all levels. */
  nodes: 20_000,
  /** Characters of a line. A longer one ends the connection. */
  line: 32 * 1024 * 1024,
  /** Retrievals of one site and process per second. Further ones are counted in `dropped`. */
  perSecond: 20,
} as const;

/** Strings that programs send apart from values. */
const nameSchema = z.string().max(4000);
const wordsSchema = z.string().max(20_000);

/** Line from 1, and column from 0 in UTF-16 units. */
const positionSchema = z.tuple([z.number().int().min(1), z.number().int().min(0)]);
export type LivePosition = Read<typeof positionSchema>;

const rangeShape = { start: positionSchema, end: positionSchema };

/**
 * An argument of the call. A number is the index of a positional argument, a text the name of a keyword argument, and
 * further steps lead into objects and lists: `[0]`, `["query"]`, `[0, "queryTexts", 0]`.
 */
const argumentSchema = z.object({
  path: z.array(z.union([z.string(), z.number().int().min(0)])).min(1),
  /** The chained call that takes it, `limit` in `.search(v).limit(4)`. Defaults to the call itself. */
  chained: z.string().optional(),
  /** Position of the passed expression. `undefined` if the call omits the argument. */
  at: z.object(rangeShape).optional(),
  /** Whether it is a shorthand property, `{ query }`. */
  isShorthand: z.boolean().optional(),
  /**
   * Where a missing argument can be added: after the last positional argument, after the brace of the options, or as
   * options after the last argument.
   */
  missing: z.object({ at: positionSchema, as: z.enum(['positional', 'entry', 'options']) }).optional(),
});
export type LiveArgument = Read<typeof argumentSchema>;

/** A function that encloses a call, innermost first. */
const enclosingSchema = z.object({
  /** `undefined` for an anonymous function, which cannot be called again. */
  name: z.string().optional(),
  /** The beginning of its body, after the brace. */
  body: positionSchema,
  /** Line of the name, or of the keyword. */
  line: z.number().int().min(1),
  parameters: z.array(z.string()),
  /** How the function calls itself in JavaScript: `search`, `this.search`, `Store.search`. */
  callee: z.string().optional(),
});
export type LiveEnclosing = Read<typeof enclosingSchema>;

export const livePlannedCallSchema = z.object({
  /** The key of the call site. Several calls may use one retriever. */
  site: z.string(),
  /** Range of the whole expression: the call with chained calls, without `await`. */
  ...rangeShape,
  /** Range of the called name, to find the call in compiled code. */
  callee: z.object(rangeShape),
  /** `retriever`: the call returns an object whose `methods` retrieve. */
  returns: z.enum(['passages', 'retriever']),
  methods: z.array(z.string()).default([]),
  /** `null` if unknown. Hooks then use the first text argument. */
  question: argumentSchema.nullable(),
  k: argumentSchema.nullable(),
  /** Whether the expression directly follows `await`. */
  awaited: z.boolean().default(false),
  /** Whether the expression itself contains `await` or `yield`. */
  suspends: z.boolean().default(false),
  /** Whether the expression is a ranking around the call: `documents.map(score).sort(…).slice(0, 5)`. */
  ranks: z.boolean().default(false),
  /**
   * Whether another argument is derived from the question too, so that only an enclosing function can be asked again.
   */
  isOneOfSeveral: z.boolean().default(false),
  enclosing: z.array(enclosingSchema).default([]),
});
export type LiveCall = Read<typeof livePlannedCallSchema>;

const fileSchema = z.object({
  /** Hash of the bytes on disk. Files with another hash are skipped (`skipped`, reason `changed`). */
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
  calls: z.array(livePlannedCallSchema).min(1),
});
export type LiveFile = Read<typeof fileSchema>;

/** A notebook cell. Positions are relative to the cell. */
const cellSchema = fileSchema.extend({
  /** Path of the notebook. */
  file: z.string(),
  /** Hash of the cell's text in UTF-8. */
  sha256: fileSchema.shape.sha256,
});

/** Questions to ask in place at the first retrieval of a call, before the program gets its result. */
export const liveMeasureSchema = z.object({
  site: z.string(),
  questions: z.array(z.object({ id: z.string(), text: z.string() })),
  k: z.number().int().min(1).optional(),
  /**
   * Name of the function to ask instead of the call. Defaults to the nearest one that received the question, if the
   * call takes a vector.
   */
  unit: z.string().optional(),
  /** Time limit per question in milliseconds. */
  limitMs: z.number().int().min(1),
});

/** Written to a private temporary folder (mode 0600). Its path is in {@link LIVE_VARIABLE}. */
export const livePlanSchema = z.object({
  protocol: z.literal(LIVE_PROTOCOL),
  /** Port on 127.0.0.1. */
  port: z.number().int().min(1).max(65_535),
  token: z.string().min(16),
  /**
   * An existing folder. Messages that a process could not send before its end are appended to `<pid>-<anything>.jsonl`
   * there, with `hello` as the first line.
   */
  spool: z.string(),
  /** The listening process. After its end another program may use its port, so hooks no longer connect. */
  owner: z.number().int().min(1).optional(),
  /** By absolute path, with symbolic links resolved. */
  files: z.record(z.string(), fileSchema),
  cells: z.array(cellSchema).default([]),
  measure: liveMeasureSchema.optional(),
});
export type LivePlan = Read<typeof livePlanSchema>;
export type WrittenLivePlan = Written<typeof livePlanSchema>;
export type LiveMeasure = Read<typeof liveMeasureSchema>;

const count = z.number().int().min(0);
const milliseconds = z.number().min(0);
/** Milliseconds since 1970, within the range of dates. */
const moment = milliseconds.max(8.64e15);

/** Why a file runs unchanged. */
export const SKIP_REASONS = [
  /** Its bytes differ from those that Parallax read. */
  'changed',
  /** Compiled, without a source map. */
  'no-source-map',
  /** Compiled, and its source map does not lead to the call. */
  'not-found',
  /** The instrumented text cannot be compiled. */
  'not-compiled',
  /** The hook does not support the form of the call. */
  'unknown-form',
  /** Loaded in a way that hooks cannot intercept. */
  'not-seen',
  'error',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * Something that can be asked another question: `call`, the call itself with its receiver, or a function whose argument
 * `parameter` was the question. Narrowest first.
 */
export const liveUnitSchema = z.object({
  unit: nameSchema,
  file: nameSchema,
  line: z.number().int().min(1),
  function: nameSchema.optional(),
  parameter: nameSchema.optional(),
  /** The value of the parameter: the question, if the call itself takes a vector. */
  question: wordsSchema.optional(),
});
export type LiveUnit = Read<typeof liveUnitSchema>;

/**
 * A value as written by hooks: JSON, with objects of a single special field for what JSON cannot express: `{"$text":
 * beginning, "length": n}`, `{"$vector": dimensions, "f32"?: base64 of little-endian floats}`, `{"$bytes": n}`,
 * `{"$more": n}` at the end of a list, `{"$cut": "cycle" | "depth" | "size" | "error"}`. Instances of a class have its
 * name in `$type`; dates are ISO 8601 texts. Read by `core/capture/live-passages.ts`.
 */
const valueSchema = z.unknown();

/** Why a question has no answer. */
export const FAILED_ANSWER_REASONS = [
  'threw',
  'time-limit',
  'cancelled',
  'gone',
  'not-reached',
  'cannot-be-asked',
] as const;

/** The program's own error. */
const errorSchema = z.object({ name: nameSchema, message: wordsSchema });

export const programMessageSchema = z.discriminatedUnion('type', [
  /** The first line. Connections without the right token are closed. */
  z.object({
    type: z.literal('hello'),
    protocol: z.literal(LIVE_PROTOCOL),
    token: nameSchema,
    language: z.enum(['python', 'javascript']),
    version: nameSchema,
    pid: count,
    ppid: count,
    command: z.array(nameSchema).max(200),
  }),
  /** A file of the plan was loaded, with the number of observed calls. */
  z.object({ type: z.literal('instrumented'), file: nameSchema, calls: count }),
  z.object({
    type: z.literal('skipped'),
    file: nameSchema,
    reason: z.enum(SKIP_REASONS),
    /** Details from the hook or the runtime. */
    detail: wordsSchema.optional(),
    /** The skipped calls. Defaults to all calls of the file. */
    sites: z.array(nameSchema).optional(),
  }),
  z.object({
    type: z.literal('retrieval'),
    /** `<pid>-<number>`. Identifies repeated messages. */
    id: z.string().max(100),
    site: nameSchema,
    startedAt: moment,
    durationMs: milliseconds,
    /** Retrievals with the same value belong to one request served by the program. */
    request: nameSchema.optional(),
    /** The argument's value, usually a text or a vector. */
    question: valueSchema,
    k: valueSchema,
    /** The result. For iterators everything that the program took. */
    result: valueSchema,
    units: z.array(liveUnitSchema).max(100).default([]),
    /** The number of unsent retrievals of this site since the last sent one. */
    dropped: count.default(0),
  }),
  /** The number of unsent retrievals, sent at the latest before the process ends. */
  z.object({ type: z.literal('dropped'), site: nameSchema, count }),
  z.object({
    type: z.literal('failed-call'),
    site: nameSchema,
    startedAt: moment,
    durationMs: milliseconds,
    question: valueSchema,
    error: errorSchema,
  }),
  /** The answer to an `ask`, or to a question of the plan's `measure`, by its id. */
  z.object({
    type: z.literal('answer'),
    request: nameSchema,
    durationMs: milliseconds,
    /** The result of the call, even if an enclosing function was asked. */
    result: valueSchema,
    k: valueSchema,
    unit: nameSchema,
  }),
  z.object({
    type: z.literal('failed-answer'),
    request: nameSchema,
    reason: z.enum(FAILED_ANSWER_REASONS),
    error: errorSchema.optional(),
  }),
  /** Every question of the plan's `measure` has an answer. */
  z.object({ type: z.literal('measured'), site: nameSchema, unit: liveUnitSchema.optional() }),
]);
export type ProgramMessage = Read<typeof programMessageSchema>;
export type WrittenProgramMessage = Written<typeof programMessageSchema>;

export const parallaxMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ask'),
    request: z.string(),
    /** The retrieval to repeat. Hooks keep the last three of a site. */
    retrieval: z.string(),
    unit: z.string(),
    question: z.string(),
    k: z.number().int().min(1).optional(),
    limitMs: z.number().int().min(1),
  }),
  z.object({ type: z.literal('cancel'), request: z.string() }),
]);
export type ParallaxMessage = Read<typeof parallaxMessageSchema>;
