/** A span as read by a convention: a retrieval, or the reason why it is not one. */
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { AttributeValue, CapturedSpan } from './spans.ts';

/** One query to a program's retriever, with the results. */
export interface CapturedRetrieval {
  /** Trace and span ids, to recognise repeated spans. */
  readonly id: string;
  /** Name of the span: usually the retriever's class. */
  readonly name: string;
  readonly service: string;
  /** The instrumentation that wrote it, e.g. `openinference.instrumentation.langchain`. */
  readonly scope: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether a retriever found the passages or a reranker reordered them. */
  readonly step: 'retriever' | 'reranker';
  readonly query: string;
  /** Best first, with scores if the program gave them. */
  readonly results: readonly Partial<ExternalResult>[];
  /** The place of the call in the program, if the instrumentation gives it. */
  readonly code?: { readonly file: string; readonly line?: number | undefined } | undefined;
  /** For a call observed in a running program, without instrumentation. */
  readonly live?: LiveOrigin | undefined;
}

export interface LiveOrigin {
  /** Key of the call site. */
  readonly site: string;
  /** Unique within the run of the program. */
  readonly process: string;
  /** The id to repeat the call with. */
  readonly retrieval: string;
  readonly durationMs: number;
  /** The k that was passed. */
  readonly k?: number | undefined;
  /** Retrievals with the same value belong to one request served by the program. */
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
  /** Its kind as `attribute=value`. Empty if it has no known kind. */
  readonly kind: string;
  readonly reason: UnusedReason;
}

export interface RetrievalReading {
  readonly retrieval: CapturedRetrieval;
  /**
   * The kind of a tool call. The retriever within it, or the other end of its connection, may report the same
   * retrieval.
   */
  readonly call?: string;
}

export type SpanReading = RetrievalReading | { readonly unused: UnusedSpan };

/** Reads the spans of one convention. @returns `undefined` for other spans */
export type Convention = (span: CapturedSpan) => SpanReading | undefined;

export function isRetrieval(reading: SpanReading): reading is RetrievalReading {
  return 'retrieval' in reading;
}

/** A retrieval with the other details of its span. */
export function retrievalReading(
  span: CapturedSpan,
  retrieval: Pick<CapturedRetrieval, 'step' | 'query' | 'results'>,
): RetrievalReading {
  const code = codeOf(span.attributes);
  return {
    retrieval: {
      id: `${span.traceId}:${span.spanId}`,
      name: span.name,
      service: span.service,
      scope: span.scope,
      at: span.startedAt,
      ...retrieval,
      ...(code ? { code } : {}),
    },
  };
}

/** Kinds are copied from the span, which may contain anything. */
const KIND_LENGTH = 60;

/** @param attribute that names the span's kind */
export function unusedReading(span: CapturedSpan, attribute: string, reason: UnusedReason): SpanReading {
  return { unused: { kind: kindOf(span, attribute), reason } };
}

/** `attribute=value` */
export function kindOf({ attributes }: CapturedSpan, attribute: string): string {
  return `${attribute}=${textAttribute(attributes, attribute) ?? ''}`.slice(0, KIND_LENGTH);
}

export function textAttribute(
  attributes: ReadonlyMap<string, AttributeValue>,
  name: string,
): string | undefined {
  const value = attributes.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The semantic conventions renamed these. Both spellings occur. */
function codeOf(attributes: ReadonlyMap<string, AttributeValue>): CapturedRetrieval['code'] {
  const file = textAttribute(attributes, 'code.file.path') ?? textAttribute(attributes, 'code.filepath');
  const line = attributes.get('code.line.number') ?? attributes.get('code.lineno');
  if (file === undefined) return undefined;
  return { file, ...(typeof line === 'number' ? { line } : {}) };
}
