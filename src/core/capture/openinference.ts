/**
 * The OpenInference conventions, which the usual instrumentations of LangChain, LlamaIndex, Haystack, DSPy and others
 * write.
 */
import type { ExternalResult } from '../external/spec.ts';
import { unpacked, isRecord } from '../text/json.ts';
import { documentsIn, resultsOf } from './documents.ts';
import { heardRetrieval, heardUnused, textAttribute, type Heard } from './heard.ts';
import type { AttributeValue, CapturedSpan } from './spans.ts';

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

/** Retrievers and rerankers. What wrote no documents at all found none. */
export function hearOpenInference(span: CapturedSpan): Heard | undefined {
  const { attributes } = span;
  const kind = textAttribute(attributes, KIND)?.toUpperCase();
  if (kind === undefined) return undefined;
  if (kind !== 'RETRIEVER' && kind !== 'RERANKER') return heardUnused(span, KIND, 'other-work');
  const { step, query: names, results: prefix } = STEPS[kind];
  const query = names.map((name) => textAttribute(attributes, name)).find((value) => value !== undefined);
  if (query === undefined) return heardUnused(span, KIND, 'no-query');
  const documents = numberedDocuments(attributes, prefix);
  const results = documents.length > 0 ? documents : outputDocuments(attributes);
  if (results === undefined) return heardUnused(span, KIND, 'unreadable');
  return heardRetrieval(span, { step, query: queryText(query), results });
}

/** Some instrumentations write the whole call as JSON; the query is the one text in it. */
function queryText(value: string): string {
  const call = unpacked(value);
  if (!isRecord(call)) return value;
  const named = ['query', 'query_str', 'input', 'question', 'text'].map((name) => call[name]);
  return named.find((text) => typeof text === 'string') ?? value;
}

/** `<prefix>.<n>.document.<field>`, in the order of n. Places without id and text are left out. */
function numberedDocuments(
  attributes: ReadonlyMap<string, AttributeValue>,
  prefix: string,
): ExternalResult[] {
  const places = new Map<number, Map<string, AttributeValue>>();
  for (const [name, value] of attributes) {
    if (!name.startsWith(`${prefix}.`) || typeof value === 'object') continue;
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

/**
 * Where the documents stand only in what the call returned.
 *
 * @returns nothing where that is there and cannot be read
 */
function outputDocuments(attributes: ReadonlyMap<string, AttributeValue>): ExternalResult[] | undefined {
  const output = attributes.get('output.value');
  if (output === undefined || output === '') return [];
  const documents = documentsIn(unpacked(output));
  return documents && resultsOf(documents);
}
