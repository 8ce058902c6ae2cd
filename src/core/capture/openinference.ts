/**
 * Reads retrievals from the spans of a program. The attributes follow the OpenInference conventions, which
 * the usual instrumentations of LangChain, LlamaIndex, Haystack, DSPy and others write.
 */
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
  /** Best first. */
  readonly results: readonly ExternalResult[];
  /** Where in the program the call stands, where the instrumentation says. */
  readonly code?: { readonly file: string; readonly line?: number | undefined } | undefined;
}

const KIND = 'openinference.span.kind';

/** Per kind of span: where its query may stand, and under which name its passages do. */
const STEPS = {
  RETRIEVER: { step: 'retriever', query: ['input.value'], results: 'retrieval.documents' },
  RERANKER: {
    step: 'reranker',
    query: ['reranker.query', 'input.value'],
    results: 'reranker.output_documents',
  },
} as const;

/** @returns nothing for spans of other kinds, and for those without a query */
export function retrievalOf(span: CapturedSpan): CapturedRetrieval | undefined {
  const { attributes } = span;
  const kind = String(attributes.get(KIND) ?? '').toUpperCase();
  if (kind !== 'RETRIEVER' && kind !== 'RERANKER') return undefined;
  const { step, query: names, results } = STEPS[kind];
  const query = names.map((name) => attributes.get(name)).find((value) => typeof value === 'string');
  if (query === undefined) return undefined;
  const code = codeOf(attributes);
  return {
    id: `${span.traceId}:${span.spanId}`,
    name: span.name,
    service: span.service,
    scope: span.scope,
    at: span.startedAt,
    step,
    query: queryText(query),
    results: documentsOf(attributes, results),
    ...(code ? { code } : {}),
  };
}

/** Some instrumentations write the whole call as JSON; the query is the one text in it. */
function queryText(value: string): string {
  if (!value.trimStart().startsWith('{')) return value;
  try {
    const call = JSON.parse(value) as Record<string, unknown>;
    const named = ['query', 'query_str', 'input', 'question', 'text'].map((name) => call[name]);
    return named.find((text) => typeof text === 'string') ?? value;
  } catch {
    return value;
  }
}

/** `<prefix>.<n>.document.<field>`, in the order of n. Places without id and text are left out. */
function documentsOf(attributes: ReadonlyMap<string, AttributeValue>, prefix: string): ExternalResult[] {
  const places = new Map<number, Map<string, AttributeValue>>();
  for (const [name, value] of attributes) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const found = /^(\d+)\.document\.(id|content|score)$/.exec(name.slice(prefix.length + 1));
    if (!found) continue;
    const place = Number(found[1]);
    const fields = places.get(place) ?? new Map<string, AttributeValue>();
    places.set(place, fields.set(found[2]!, value));
  }
  return [...places]
    .sort(([a], [b]) => a - b)
    .flatMap(([place, fields]) => {
      const id = fields.get('id');
      const text = fields.get('content');
      const score = fields.get('score');
      if (id === undefined && text === undefined) return [];
      return [
        {
          ...(id === undefined ? {} : { id: String(id) }),
          ...(text === undefined ? {} : { text: String(text) }),
          score: typeof score === 'number' ? score : 0 - place,
        },
      ];
    });
}

/** The semantic conventions renamed these; both spellings are about. */
function codeOf(attributes: ReadonlyMap<string, AttributeValue>): CapturedRetrieval['code'] {
  const file = attributes.get('code.file.path') ?? attributes.get('code.filepath');
  const line = attributes.get('code.line.number') ?? attributes.get('code.lineno');
  if (typeof file !== 'string') return undefined;
  return { file, ...(typeof line === 'number' ? { line } : {}) };
}
