/** A span as a convention reads it: a retrieval, or the reason why it is none. */
import type { ExternalResult } from '../external/spec.ts';
import type { AttributeValue, CapturedSpan } from './spans.ts';

/** One query that a program asked its retriever, with what came back. */
export interface CapturedRetrieval {
  /** Trace and span, so that a span that arrives twice is known. */
  readonly id: string;
  /** Name of the span: usually the retriever's class. */
  readonly name: string;
  readonly service: string;
  /** The instrumentation that saw it, e.g. `openinference.instrumentation.langchain`. */
  readonly scope: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether a retriever found the passages or a reranker ordered them. */
  readonly step: 'retriever' | 'reranker';
  readonly query: string;
  /** Best first; with a score where the program told one. */
  readonly results: readonly Partial<ExternalResult>[];
  /** Where in the program the call stands, where the instrumentation says. */
  readonly code?: { readonly file: string; readonly line?: number | undefined } | undefined;
  /** Of a call that was observed in a running program, without instrumentation. */
  readonly live?: LiveOrigin | undefined;
}

export interface LiveOrigin {
  /** Key of the call site. */
  readonly site: string;
  /** Unique within the run of the program. */
  readonly process: string;
  /** The id by which the call is asked again. */
  readonly retrieval: string;
  readonly durationMs: number;
  /** As it was handed over. */
  readonly k?: number | undefined;
  /** Retrievals with the same one belong to one request that the program served. */
  readonly request?: string | undefined;
}

/** Why a span cannot be shown as a retrieval. */
export const UNUSED_REASONS = [
  'other-work',
  'no-query',
  'no-documents',
  'unreadable',
  'other-tool',
  'repeated',
] as const;
export type UnusedReason = (typeof UNUSED_REASONS)[number];

/** A span that cannot be shown as a retrieval. */
export interface UnusedSpan {
  /** The kind that it names, as `attribute=value`; empty where it names none that is known. */
  readonly kind: string;
  readonly reason: UnusedReason;
}

export interface HeardRetrieval {
  readonly retrieval: CapturedRetrieval;
  /** Of a tool's call, its kind: the retriever within it, and the other end of its connection, may tell the same. */
  readonly call?: string;
}

export type Heard = HeardRetrieval | { readonly unused: UnusedSpan };

/** Reads the spans of one convention. @returns nothing for spans that are not its own */
export type Convention = (span: CapturedSpan) => Heard | undefined;

export function isRetrieval(heard: Heard): heard is HeardRetrieval {
  return 'retrieval' in heard;
}

/** A retrieval with everything that its span says besides. */
export function heardRetrieval(
  span: CapturedSpan,
  found: Pick<CapturedRetrieval, 'step' | 'query' | 'results'>,
): HeardRetrieval {
  const code = codeOf(span.attributes);
  return {
    retrieval: {
      id: `${span.traceId}:${span.spanId}`,
      name: span.name,
      service: span.service,
      scope: span.scope,
      at: span.startedAt,
      ...found,
      ...(code ? { code } : {}),
    },
  };
}

/** Kinds are told as they stand in the span, which may say anything. */
const KIND_LENGTH = 60;

/** @param attribute that says what the span is */
export function heardUnused(span: CapturedSpan, attribute: string, reason: UnusedReason): Heard {
  return { unused: { kind: kindOf(span, attribute), reason } };
}

/** `attribute=value` */
export function kindOf({ attributes }: CapturedSpan, attribute: string): string {
  return `${attribute}=${textAttribute(attributes, attribute) ?? ''}`.slice(0, KIND_LENGTH);
}

/** An attribute that is a text. */
export function textAttribute(
  attributes: ReadonlyMap<string, AttributeValue>,
  name: string,
): string | undefined {
  const value = attributes.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The semantic conventions renamed these; both spellings are about. */
function codeOf(attributes: ReadonlyMap<string, AttributeValue>): CapturedRetrieval['code'] {
  const file = textAttribute(attributes, 'code.file.path') ?? textAttribute(attributes, 'code.filepath');
  const line = attributes.get('code.line.number') ?? attributes.get('code.lineno');
  if (file === undefined) return undefined;
  return { file, ...(typeof line === 'number' ? { line } : {}) };
}
