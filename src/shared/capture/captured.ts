/** Captured retrievals of running programs, as the engine reports them. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { aboutRecordSchema } from '../../core/external/about-record.ts';
import { runFiguresSchema } from '../../core/capture/figures.ts';
import { UNUSED_REASONS } from '../../core/capture/heard.ts';
import { type JudgedBy, judgementSourceSchema, stanceSchema, verdictSchema } from '../../core/model.ts';
import { matchesSchema } from '../matches.ts';

/** The oldest retrievals are forgotten beyond so many. */
export const MOST_CAPTURED = 200;

/** `newest`: for a list that people look at. `all`: what is taken at once, as good as without a limit. */
export const keptSpansSchema = z.enum(['newest', 'all']);
export type KeptSpans = Read<typeof keptSpansSchema>;

const count = z.number().int().min(0);

const capturedPassageSchema = z.object({
  slot: z.number().int(),
  id: z.string(),
  documentId: z.string(),
  title: z.string(),
  /** The passage's beginning; empty where the program handed on an id alone. */
  excerpt: z.string(),
  /** Of its whole text. */
  characters: count.optional(),
  /** 1-based first and last line, for people; absent where the text is not that of a file. */
  lines: z.object({ first: count, last: count }).optional(),
  /** The corpus holds it. */
  recognised: z.boolean(),
  judged: z.array(
    z.object({
      perspectiveId: z.string(),
      verdict: verdictSchema,
      source: judgementSourceSchema,
      judge: z.string(),
    }),
  ),
});
export type CapturedPassage = Read<typeof capturedPassageSchema>;

const capturedRunSchema = z.object({
  /** Trace and span: `<trace>:<span>`. */
  id: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** As the program asked it. */
  query: z.string(),
  /** Name of the span: usually the retriever's class. */
  name: z.string(),
  /** The program's name for itself; empty where it gave none. */
  service: z.string(),
  /** Name of the instrumentation. */
  scope: z.string(),
  step: z.enum(['retriever', 'reranker']),
  /** Where in the program the call stands, where the instrumentation says; the line counts from 1. */
  code: z.object({ file: z.string(), line: count.optional() }).optional(),
  /** Of a call that was observed without instrumentation. */
  live: z
    .object({
      /** Key of the call site. */
      site: z.string(),
      /** Unique within the run of the program. */
      process: z.string(),
      /** The id by which `live/ask` asks it again. */
      retrieval: z.string(),
      durationMs: z.number(),
      /** As it was handed over. */
      k: count.optional(),
      /** Retrievals with the same one belong to one request that the program served. */
      request: z.string().optional(),
    })
    .optional(),
  /** Of one trace, or of one request of a program that is observed. */
  run: z.string().optional(),
  /** What the run was asked, where its first span says it. */
  question: z.string().optional(),
  /** How many documents came back. */
  k: count,
  matches: matchesSchema,
  /** The question that its perspectives belong to; the query as it is where none are known. */
  asked: z.object({ id: z.string().optional(), text: z.string() }),
  perspectives: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      stance: stanceSchema.optional(),
      group: z.string().optional(),
    }),
  ),
  /** Distinct, best first. */
  passages: z.array(capturedPassageSchema),
  /** At k; absent without perspectives. */
  figures: runFiguresSchema.optional(),
});
/** One captured retrieval, in terms of a corpus. */
export type CapturedRun = Read<typeof capturedRunSchema>;

const unusedSpansSchema = z.object({
  /** The kind that the spans name, as `attribute=value`; empty where they name none that is known. */
  kind: z.string(),
  reason: z.enum(UNUSED_REASONS),
  count,
});
/** Spans of one kind that came and cannot be shown as retrievals. */
export type UnusedSpansOfKind = Read<typeof unusedSpansSchema>;

/** Everything as it came, oldest first. */
export const takenSchema = z.object({
  retrievals: z.array(
    capturedRunSchema
      .pick({
        id: true,
        at: true,
        query: true,
        name: true,
        service: true,
        scope: true,
        step: true,
        code: true,
        run: true,
        question: true,
      })
      .extend({
        /** Best first. */
        results: z.array(
          z.object({
            id: z.string().optional(),
            text: z.string().optional(),
            score: z.number().optional(),
            about: aboutRecordSchema.optional(),
          }),
        ),
      }),
  ),
  unused: z.array(unusedSpansSchema),
  /** Retrievals that there was no room for. */
  forgotten: count,
  /** Requests whose spans could not be read. */
  refused: count,
});

export const capturedSchema = z.object({
  /** Without an index nothing can be recognised. */
  indexed: z.boolean(),
  /** Newest first. */
  runs: z.array(capturedRunSchema),
  /** The most frequent first. */
  unused: z.array(unusedSpansSchema),
});

/** Who judged what came back, each once. */
export function sourcesOf(runs: readonly CapturedRun[]): Pick<JudgedBy, 'source' | 'judge'>[] {
  const said = runs.flatMap(({ passages }) => passages.flatMap(({ judged }) => judged));
  return [...new Map(said.map(({ source, judge }) => [`${source} ${judge}`, { source, judge }])).values()];
}
