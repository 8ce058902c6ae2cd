/**
 * What a running program and Parallax tell each other: the plan that Parallax writes before a run, and the messages of one
 * connection a process, JSON lines both ways. The hooks in media/live are not bundled and import none of this: tests hold
 * them to it.
 */
import * as z from 'zod';
import type { Read, Written } from '../../core/read.ts';

export const LIVE_PROTOCOL = 1;

/** The variable with the path of the plan. */
export const LIVE_VARIABLE = 'PARALLAX_LIVE';

/** What hooks send at most; what is cut is marked in the value itself. */
export const LIVE_LIMITS = {
  /** Characters of one text. */
  text: 100_000,
  /** Elements of one list, and fields of one object. */
  items: 200,
  /** Objects within objects. */
  depth: 8,
  /** Values in one message, all levels together. */
  nodes: 20_000,
  /** Characters of one line; a longer one ends the connection. */
  line: 32 * 1024 * 1024,
  /** Retrievals of one site and process within a second; more are counted in `dropped`. */
  perSecond: 20,
} as const;

/** What programs send beside values. */
const nameSchema = z.string().max(4000);
const wordsSchema = z.string().max(20_000);

/** Line from 1, column from 0 in UTF-16 units. */
const positionSchema = z.tuple([z.number().int().min(1), z.number().int().min(0)]);
export type LivePosition = Read<typeof positionSchema>;

const rangeShape = { start: positionSchema, end: positionSchema };

/**
 * An argument of the call: a number is a place among the positional arguments, a text the name of a keyword argument, and
 * what follows leads into objects and lists: `[0]`, `["query"]`, `[0, "queryTexts", 0]`.
 */
const argumentSchema = z.object({
  path: z.array(z.union([z.string(), z.number().int().min(0)])).min(1),
  /** The chained call that takes it, `limit` in `.search(v).limit(4)`; the call itself if it is left out. */
  chained: z.string().optional(),
  /** Of the expression that is handed over; `undefined` if the call leaves the argument out. */
  at: z.object(rangeShape).optional(),
  /** `{ query }`: the expression is the name of the entry as well. */
  isShorthand: z.boolean().optional(),
  /** Where it can be added: behind the last positional argument, after the brace of the options, or as options behind the last argument. */
  missing: z.object({ at: positionSchema, as: z.enum(['positional', 'entry', 'options']) }).optional(),
});
export type LiveArgument = Read<typeof argumentSchema>;

/** A function around a call, innermost first. */
const enclosingSchema = z.object({
  /** `undefined` for a function without a name, which cannot be called again. */
  name: z.string().optional(),
  /** Where its body begins, after the brace. */
  body: positionSchema,
  /** Of the name, or of the keyword. */
  line: z.number().int().min(1),
  parameters: z.array(z.string()),
  /** How the function is called from within itself, JavaScript: `search`, `this.search`, `Store.search`. */
  callee: z.string().optional(),
});
export type LiveEnclosing = Read<typeof enclosingSchema>;

export const livePlannedCallSchema = z.object({
  /** The key of the call site; several calls may run one retriever. */
  site: z.string(),
  /** The whole expression: the call with what is chained to it, without `await`. */
  ...rangeShape,
  /** The name that is called, by which a call is found again in compiled code. */
  callee: z.object(rangeShape),
  /** `retriever`: the call returns an object whose `methods` retrieve. */
  returns: z.enum(['passages', 'retriever']),
  methods: z.array(z.string()).default([]),
  /** `null`: not known; hooks take the first argument that is a text. */
  question: argumentSchema.nullable(),
  k: argumentSchema.nullable(),
  /** The expression stands directly behind `await`. */
  awaited: z.boolean().default(false),
  /** `await` or `yield` stands within the expression itself. */
  suspends: z.boolean().default(false),
  /** The expression is a ranking around the call: `documents.map(score).sort(…).slice(0, 5)`. */
  ranks: z.boolean().default(false),
  /** Another argument is made of the question, too: only a function around the call can be asked again. */
  isOneOfSeveral: z.boolean().default(false),
  enclosing: z.array(enclosingSchema).default([]),
});
export type LiveCall = Read<typeof livePlannedCallSchema>;

const fileSchema = z.object({
  /** Of the bytes on disk; a file that has another one is not touched (`skipped`, reason `changed`). */
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
  calls: z.array(livePlannedCallSchema).min(1),
});
export type LiveFile = Read<typeof fileSchema>;

/** A cell of a notebook; positions count within it. */
const cellSchema = fileSchema.extend({
  /** The notebook. */
  file: z.string(),
  /** Of the cell's text in UTF-8. */
  sha256: fileSchema.shape.sha256,
});

/** Asked in place, at the first retrieval of a call, before the program gets its result. */
export const liveMeasureSchema = z.object({
  site: z.string(),
  questions: z.array(z.object({ id: z.string(), text: z.string() })),
  k: z.number().int().min(1).optional(),
  /** The function to be asked instead of the call: its name; the nearest that received the question if the call takes a vector. */
  unit: z.string().optional(),
  /** Milliseconds for each question. */
  limitMs: z.number().int().min(1),
});

/** Written into a private temporary folder (mode 0600); its path is in {@link LIVE_VARIABLE}. */
export const livePlanSchema = z.object({
  protocol: z.literal(LIVE_PROTOCOL),
  /** Of 127.0.0.1. */
  port: z.number().int().min(1).max(65_535),
  token: z.string().min(16),
  /** An existing folder: what a process could not send before it ends is appended to `<pid>-<anything>.jsonl` there, with `hello` as its first line. */
  spool: z.string(),
  /** The process that listens. Once it has ended, another program may have its port: hooks connect no more. */
  owner: z.number().int().min(1).optional(),
  /** By absolute path, symbolic links resolved. */
  files: z.record(z.string(), fileSchema),
  cells: z.array(cellSchema).default([]),
  measure: liveMeasureSchema.optional(),
});
export type LivePlan = Read<typeof livePlanSchema>;
export type WrittenLivePlan = Written<typeof livePlanSchema>;
export type LiveMeasure = Read<typeof liveMeasureSchema>;

const count = z.number().int().min(0);
const milliseconds = z.number().min(0);

/** Why a file runs as it is. */
export const SKIP_REASONS = [
  /** Its bytes are not those that Parallax read. */
  'changed',
  /** Compiled, and nothing says which part of it is which line. */
  'no-source-map',
  /** Compiled, and its source map does not lead to the call. */
  'not-found',
  /** The instrumented text cannot be compiled. */
  'not-compiled',
  /** The call is written in a form that the hook does not know. */
  'unknown-form',
  /** Loaded in a way that hooks do not see. */
  'not-seen',
  'error',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * What can be asked again with another question: `call`, the call itself with what it is bound to, or a function whose
 * argument `parameter` was the question; narrowest first.
 */
export const liveUnitSchema = z.object({
  unit: nameSchema,
  file: nameSchema,
  line: z.number().int().min(1),
  function: nameSchema.optional(),
  parameter: nameSchema.optional(),
  /** What the parameter was: the question, if the call itself takes a vector. */
  question: wordsSchema.optional(),
});
export type LiveUnit = Read<typeof liveUnitSchema>;

/**
 * A value as hooks write it: JSON, in which an object with one of these fields alone stands for what JSON cannot say:
 * `{"$text": beginning, "length": n}`, `{"$vector": dimensions, "f32"?: base64 of little-endian floats}`,
 * `{"$bytes": n}`, `{"$more": n}` at the end of a list, `{"$cut": "cycle" | "depth" | "size" | "error"}`.
 * An object of a class has its name in the field `$type`; a date is a text in ISO 8601. `core/capture/live-values.ts` reads it.
 */
const valueSchema = z.unknown();

/** A failure in the words of the program. */
const errorSchema = z.object({ name: nameSchema, message: wordsSchema });

export const programMessageSchema = z.discriminatedUnion('type', [
  /** The first line; whoever does not show the token is disconnected. */
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
  /** A file of the plan was loaded, and so many of its calls are observed. */
  z.object({ type: z.literal('instrumented'), file: nameSchema, calls: count }),
  z.object({
    type: z.literal('skipped'),
    file: nameSchema,
    reason: z.enum(SKIP_REASONS),
    /** In the words of the hook or the runtime. */
    detail: wordsSchema.optional(),
    /** The only calls that are left out; all of the file if left out. */
    sites: z.array(nameSchema).optional(),
  }),
  z.object({
    type: z.literal('retrieval'),
    /** `<pid>-<number>`; one that arrives twice is known by it. */
    id: nameSchema,
    site: nameSchema,
    /** Since 1970. */
    startedAt: milliseconds,
    durationMs: milliseconds,
    /** Retrievals with the same one belong together: one request that the program serves. */
    request: nameSchema.optional(),
    /** The argument as it was: mostly a text, or a vector. */
    question: valueSchema,
    k: valueSchema,
    /** What came back; of iterators everything that the program took. */
    result: valueSchema,
    units: z.array(liveUnitSchema).max(100).default([]),
    /** Retrievals of this site that were not sent since the last one that was. */
    dropped: count.default(0),
  }),
  /** The same, told at the latest before the process ends. */
  z.object({ type: z.literal('dropped'), site: nameSchema, count }),
  z.object({
    type: z.literal('failed-call'),
    site: nameSchema,
    startedAt: milliseconds,
    durationMs: milliseconds,
    question: valueSchema,
    error: errorSchema,
  }),
  /** To an `ask`, or to a question of the plan's `measure`, by its id. */
  z.object({
    type: z.literal('answer'),
    request: nameSchema,
    durationMs: milliseconds,
    /** What the call returned, even if a function around it was asked. */
    result: valueSchema,
    k: valueSchema,
    unit: nameSchema,
  }),
  z.object({
    type: z.literal('failed-answer'),
    request: nameSchema,
    reason: z.enum(['threw', 'time-limit', 'cancelled', 'gone', 'not-reached', 'cannot-be-asked']),
    error: errorSchema.optional(),
  }),
  /** Every question of the plan's `measure` has its answer. */
  z.object({ type: z.literal('measured'), site: nameSchema, unit: liveUnitSchema.optional() }),
]);
export type ProgramMessage = Read<typeof programMessageSchema>;
export type WrittenProgramMessage = Written<typeof programMessageSchema>;

export const parallaxMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ask'),
    request: z.string(),
    /** The retrieval to be asked again; hooks keep the last three of a site. */
    retrieval: z.string(),
    unit: z.string(),
    question: z.string(),
    k: z.number().int().min(1).optional(),
    limitMs: z.number().int().min(1),
  }),
  z.object({ type: z.literal('cancel'), request: z.string() }),
]);
export type ParallaxMessage = Read<typeof parallaxMessageSchema>;
