/** Captured retrievals of running programs, as reported by the engine. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../../../core/errors.ts';
import type { Read } from '../../../core/read.ts';
import { aboutRecordSchema } from '../../../core/external/about-record.ts';
import { runFiguresSchema } from '../core/figures.ts';
import { UNUSED_REASONS } from '../core/span-reading.ts';
import { type JudgedBy, judgementSourceSchema, stanceSchema, verdictSchema } from '../../../core/model.ts';
import { matchesSchema } from '../../../shared/matches.ts';

/** Beyond this number, the oldest retrievals are dropped. */
export const MAX_CAPTURED = 200;

/** `newest`: for a list in the editor. `all`: for taking everything at once, practically without a limit. */
export const keptSpansSchema = z.enum(['newest', 'all']);
export type KeptSpans = Read<typeof keptSpansSchema>;

const count = z.number().int().min(0);

const capturedPassageSchema = z.object({
  slot: z.number().int(),
  id: z.string(),
  documentId: z.string(),
  title: z.string(),
  /** The beginning of the passage. Empty if the program only returned an id. */
  excerpt: z.string(),
  /** Length of its whole text. */
  characters: count.optional(),
  /** 1-based first and last line, for display. `undefined` if the text is not from a file. */
  lines: z.object({ first: count, last: count }).optional(),
  /** Whether the corpus contains it. */
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
  /** Name of the span, usually the retriever's class. */
  name: z.string(),
  /** The program's service name. Empty if it has none. */
  service: z.string(),
  /** Name of the instrumentation. */
  scope: z.string(),
  step: z.enum(['retriever', 'reranker']),
  /** The place of the call in the program, if the instrumentation gives it. The line counts from 1. */
  code: z.object({ file: z.string(), line: count.optional() }).optional(),
  /** For a call that was observed without instrumentation. */
  live: z
    .object({
      /** Key of the call site. */
      site: z.string(),
      /** Unique within the run of the program. */
      process: z.string(),
      /** The id for repeating it with `live/ask`. */
      retrieval: z.string(),
      durationMs: z.number(),
      /** The k that was passed. */
      k: count.optional(),
      /** Retrievals with the same value belong to one request served by the program. */
      request: z.string().optional(),
    })
    .optional(),
  /** The trace, or the request of an observed program. */
  run: z.string().optional(),
  /** The question of the run, if its first span contains one. */
  question: z.string().optional(),
  /** The number of returned documents. */
  k: count,
  matches: matchesSchema,
  /** The question that its perspectives belong to, or the unchanged query if there are none. */
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
  /** Figures at k. `undefined` without perspectives. */
  figures: runFiguresSchema.optional(),
});
/** One captured retrieval in terms of a corpus. */
export type CapturedRun = Read<typeof capturedRunSchema>;

const unusedSpansSchema = z.object({
  /** The kind of the spans, as `attribute=value`. Empty if they have no known kind. */
  kind: z.string(),
  reason: z.enum(UNUSED_REASONS),
  count,
});
/** Spans of one kind that cannot be shown as retrievals. */
export type UnusedSpansOfKind = Read<typeof unusedSpansSchema>;

/** All retrievals as received, oldest first. */
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
  /** The number of retrievals without room. */
  forgotten: count,
  /** The number of requests with unreadable spans. */
  refused: count,
});

export const capturedSchema = z.object({
  /** Whether there is an index. Without one, no passage can be recognised. */
  indexed: z.boolean(),
  /** Newest first. */
  runs: z.array(capturedRunSchema),
  /** Most frequent first. */
  unused: z.array(unusedSpansSchema),
});

export function retrievalGone(): ParallaxError {
  return new ParallaxError(
    'not-found',
    l10n.t('This retrieval is no longer in the list, because newer ones replaced it.'),
  );
}

/** The distinct sources of judgements on the returned passages. */
export function sourcesOf(runs: readonly CapturedRun[]): Pick<JudgedBy, 'source' | 'judge'>[] {
  const judgements = runs.flatMap(({ passages }) => passages.flatMap(({ judged }) => judged));
  return [
    ...new Map(judgements.map(({ source, judge }) => [`${source} ${judge}`, { source, judge }])).values(),
  ];
}
