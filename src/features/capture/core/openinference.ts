/**
 * The OpenInference conventions, used by common instrumentations of LangChain, LlamaIndex, Haystack, DSPy and others.
 */
import type { ExternalResult } from '../../../core/external/spec.ts';
import { unpacked, isRecord } from '../../../core/text/json.ts';
import { hearCall } from './calls.ts';
import { aboutOf, documentsIn } from './documents.ts';
import { retrievalReading, unusedReading, textAttribute, type SpanReading } from './span-reading.ts';
import type { AttributeValue, CapturedSpan } from './spans.ts';

const KIND = 'openinference.span.kind';

/** The attributes of query and passages for each kind of span. */
const STEPS = {
  RETRIEVER: { step: 'retriever', query: ['input.value'], results: 'retrieval.documents' },
  RERANKER: {
    step: 'reranker',
    query: ['reranker.query', 'input.value'],
    results: 'reranker.output_documents',
  },
} as const;

/** Reads retrievers, rerankers and tools that resemble one. A span without documents found none. */
export function hearOpenInference(span: CapturedSpan): SpanReading | undefined {
  const { attributes } = span;
  const kind = textAttribute(attributes, KIND)?.toUpperCase();
  if (kind === undefined) return undefined;
  if (kind === 'TOOL')
    return hearCall(span, {
      input: attributes.get('input.value'),
      output: attributes.get('output.value'),
      kind: attributes.has('tool.name') ? 'tool.name' : KIND,
    });
  if (kind !== 'RETRIEVER' && kind !== 'RERANKER') return unusedReading(span, KIND, 'other-work');
  const { step, query: names, results: prefix } = STEPS[kind];
  const query = names.map((name) => textAttribute(attributes, name)).find((value) => value !== undefined);
  if (query === undefined) return unusedReading(span, KIND, 'no-query');
  const numbered = numberedDocuments(attributes, prefix);
  const returned = outputDocuments(attributes);
  const documents = numbered.length > 0 ? withIds(numbered, returned ?? []) : returned;
  if (documents === undefined) return unusedReading(span, KIND, 'unreadable');
  return retrievalReading(span, { step, query: queryText(query), results: documents });
}

/** Some instrumentations write the whole call as JSON. The query is one of its texts. */
function queryText(value: string): string {
  const call = unpacked(value);
  if (!isRecord(call)) return value;
  const named = ['query', 'query_str', 'input', 'question', 'text'].map((name) => call[name]);
  return named.find((text) => typeof text === 'string') ?? value;
}

/** `<prefix>.<n>.document.<field>`, in the order of n, without entries that have neither id nor text. */
function numberedDocuments(
  attributes: ReadonlyMap<string, AttributeValue>,
  prefix: string,
): Partial<ExternalResult>[] {
  const places = new Map<number, Map<string, string | number | boolean>>();
  for (const [name, value] of attributes) {
    if (!name.startsWith(`${prefix}.`) || typeof value === 'object') continue;
    const match = /^(\d+)\.document\.(id|content|score|metadata)$/.exec(name.slice(prefix.length + 1));
    if (!match) continue;
    const place = Number(match[1]);
    const fields = places.get(place) ?? new Map<string, string | number | boolean>();
    places.set(place, fields.set(match[2]!, value));
  }
  return [...places]
    .sort(([a], [b]) => a - b)
    .flatMap(([, fields]) => {
      const id = fields.get('id');
      const text = fields.get('content');
      const score = fields.get('score');
      const about = aboutOf(fields.get('metadata'));
      if (id === undefined && text === undefined) return [];
      return [
        {
          ...(id === undefined ? {} : { id: String(id) }),
          ...(text === undefined ? {} : { text: String(text) }),
          ...(typeof score === 'number' ? { score } : {}),
          ...(about ? { about } : {}),
        },
      ];
    });
}

/**
 * LangChain's instrumentations omit ids from the documents but write them into the call's output. They are taken from
 * there if the texts are the same.
 */
function withIds(
  numbered: readonly Partial<ExternalResult>[],
  returned: readonly Partial<ExternalResult>[],
): Partial<ExternalResult>[] {
  const isSame =
    numbered.length === returned.length &&
    numbered.every(({ text }, place) => text === returned[place]?.text);
  return numbered.map((document, place) => ({ ...(isSame ? returned[place] : {}), ...document }));
}

/**
 * The documents in the output of the call.
 *
 * @returns `undefined` if there is an unreadable output
 */
function outputDocuments(
  attributes: ReadonlyMap<string, AttributeValue>,
): Partial<ExternalResult>[] | undefined {
  const output = attributes.get('output.value');
  if (output === undefined || output === '') return [];
  return documentsIn(unpacked(output));
}
