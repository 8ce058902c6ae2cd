/** Reads retrievals from the exports of Langfuse and Phoenix. */
import * as l10n from '@vscode/l10n';
import { retrievalOf } from '../../../features/capture/core/conventions.ts';
import { documentsIn, textIn, withScore } from '../../../features/capture/core/documents.ts';
import { spansOfJson, type AttributeValue, type CapturedSpan } from '../../../features/capture/core/spans.ts';
import { ParallaxError } from '../../errors.ts';
import type { ExternalResult } from '../../external/spec.ts';
import type { Query, Ranked } from '../../model.ts';
import { isRecord, unpacked } from '../../text/json.ts';
import { Doubts, exchangeOf, quote, type ParsedExchange } from './exchange.ts';
import { ListedPassages, rankedAsListed } from './listed.ts';
import { parseRecords, type JsonRecord } from './records.ts';

interface Retrieval {
  readonly id: string;
  readonly query: string;
  /** Best first. */
  readonly results: readonly Partial<ExternalResult>[];
}

/**
 * Observations of Langfuse from the table export (JSON, JSONL), the download of a trace, or the API. An observation
 * counts if its output is a list of documents, or an object with such a list.
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` if the file contains no retrieval
 */
export function parseLangfuse(text: string, name: string): ParsedExchange {
  const { records, problems } = parseRecords(text, ['observations', 'data']);
  const retrievals = records.map(observationRetrieval);
  return toExchange(retrievals, problems, `${name}: Langfuse`);
}

function observationRetrieval({ number, value }: JsonRecord): Retrieval | undefined {
  const query = queryIn(unpacked(value['input']));
  const documents = documentsIn(unpacked(value['output']));
  if (query === undefined || documents === undefined) return undefined;
  const trace = [value['traceId'] ?? value['trace_id'], value['id']].filter((id) => typeof id === 'string');
  return { id: trace.length > 0 ? trace.join(':') : `q${number}`, query, results: documents };
}

const QUERY_FIELDS = ['query', 'query_str', 'question', 'input', 'text', 'search_query', 'value'];

/** The query in the input of a retriever. */
function queryIn(input: unknown): string | undefined {
  if (typeof input === 'string') return input.trim() === '' ? undefined : input;
  if (Array.isArray(input)) return queryIn(input[0]);
  if (!isRecord(input)) return undefined;
  return QUERY_FIELDS.map((field) => input[field]).find(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
}

/**
 * Spans of Phoenix from its API and data frames (one record per span, attributes nested or with dotted names), and its
 * table of retrieved documents (one record per document).
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` if the file contains no retrieval
 */
export function parsePhoenix(text: string, name: string): ParsedExchange {
  const otlp = otlpSpans(text);
  if (otlp) return toExchange(otlp.map(spanRetrieval), [], `${name}: Phoenix`);
  const { records, problems } = parseRecords(text, ['data', 'spans']);
  const rows = records.filter(({ value }) => 'document_position' in value);
  const retrievals =
    rows.length > 0 ? documentRows(rows) : records.map((record) => spanRetrieval(spanOf(record)));
  return toExchange(retrievals, problems, `${name}: Phoenix`);
}

function otlpSpans(text: string): CapturedSpan[] | undefined {
  return text.slice(0, 1000).includes('"resourceSpans"') ? spansOfJson(text) : undefined;
}

function spanRetrieval(span: CapturedSpan): Retrieval | undefined {
  const retrieval = retrievalOf(span);
  return retrieval && { ...retrieval, id: span.traceId === '' ? span.spanId : retrieval.id };
}

const PREFIX = 'attributes.';

function spanOf({ number, value }: JsonRecord): CapturedSpan {
  const flat = flattened(value);
  const text = (...names: readonly string[]): string =>
    names
      .map((name) => flat.get(name))
      .find((attribute): attribute is string => typeof attribute === 'string') ?? '';
  const attributes = new Map(
    [...flat].flatMap(([key, attribute]): [string, AttributeValue][] =>
      key.startsWith(PREFIX) ? [[withDocument(key.slice(PREFIX.length)), attribute]] : [],
    ),
  );
  const kind = text('attributes.openinference.span.kind', 'span_kind', 'spanKind');
  if (kind !== '') attributes.set('openinference.span.kind', kind);
  return {
    traceId: text('context.trace_id', 'trace_id', 'traceId'),
    spanId: text('context.span_id', 'span_id', 'spanId') || `q${number}`,
    name: text('name'),
    startedAt: 0,
    attributes,
    service: '',
    scope: '',
  };
}

/** Data frames omit "document" if a list has no other fields. */
function withDocument(key: string): string {
  return key.replace(
    /^((?:retrieval\.documents|reranker\.output_documents)\.\d+\.)(?!document\.)/u,
    '$1document.',
  );
}

/** Deeper nesting contains nothing that is read here. */
const MAX_DEPTH = 12;

/** Every leaf value by its dotted path. Lists count as objects with numbers as names. */
function flattened(value: unknown, path = '', depth = 0): Map<string, AttributeValue> {
  const flat = new Map<string, AttributeValue>();
  const content = unpackedAttributes(path, value);
  if (typeof content === 'string' || typeof content === 'number' || typeof content === 'boolean')
    return flat.set(path, content);
  if (typeof content !== 'object' || content === null || depth > MAX_DEPTH) return flat;
  for (const [key, inner] of Object.entries(content))
    for (const [place, single] of flattened(inner, path === '' ? key : `${path}.${key}`, depth + 1))
      flat.set(place, single);
  return flat;
}

/** Table exports contain attributes and lists of documents as JSON strings. */
function unpackedAttributes(path: string, value: unknown): unknown {
  return path === 'attributes' || /(?:^|\.)(?:documents|output_documents)$/u.test(path)
    ? unpacked(value)
    : value;
}

/** `get_retrieved_documents`: one row per document, with its span if the index was exported. */
function documentRows(rows: readonly JsonRecord[]): Retrieval[] {
  const bySpan = Map.groupBy(
    rows,
    ({ value }) => textIn(value, ['context.span_id', 'span_id', 'input']) ?? '',
  );
  return [...bySpan].flatMap(([span, spanRows]): Retrieval[] => {
    const input = spanRows[0]!.value['input'];
    if (typeof input !== 'string' || input.trim() === '') return [];
    const placed = spanRows
      .map(({ value }) => ({ place: Number(value['document_position']), value }))
      .sort((a, b) => a.place - b.place);
    const results = placed.flatMap(({ value }) => documentOfRow(value) ?? []);
    return [{ id: span, query: input, results }];
  });
}

function documentOfRow(value: Readonly<Record<string, unknown>>): Partial<ExternalResult> | undefined {
  const text = textIn(value, ['reference', 'document.content', 'content', 'document']);
  const id = textIn(value, ['document.id', 'document_id']);
  if (text === undefined && id === undefined) return undefined;
  return withScore(
    { ...(id === undefined ? {} : { id }), ...(text === undefined ? {} : { text }) },
    value['document_score'] ?? value['document.score'],
  );
}

function toExchange(
  retrievals: readonly (Retrieval | undefined)[],
  problems: readonly string[],
  source: string,
): ParsedExchange {
  const doubts = new Doubts();
  const passageIds = retrievals.flatMap((retrieval) => retrieval?.results.map(({ id }) => id) ?? []);
  const passages = new ListedPassages(doubts, passageIds);
  const queries: Query[] = [];
  const run = new Map<string, readonly Ranked[]>();
  for (const retrieval of retrievals) {
    if (!retrieval || retrieval.query.trim() === '') continue;
    const id = freeId(retrieval.id, run);
    if (id !== retrieval.id) doubts.add('Ids that occur again got a number', quote(retrieval.id));
    queries.push({ id, text: retrieval.query, perspectives: [] });
    const listed = retrieval.results.map(({ id: resultId, text, score }) => ({
      item: passages.add({ id: resultId, text }),
      score,
    }));
    run.set(id, rankedAsListed(id, listed, doubts));
  }
  if (run.size === 0)
    throw new ParallaxError(
      'bad-file',
      problems[0] === undefined
        ? l10n.t`${source}: none of ${retrievals.length} records is a retrieval with a query and documents.`
        : l10n.t`${source}: none of ${retrievals.length} records is a retrieval with a query and documents. ${problems[0]}`,
    );
  const otherRecords = retrievals.length - run.size;
  const skipped =
    otherRecords > 0
      ? [`${otherRecords} of ${retrievals.length} records are no retrievals and are left out.`]
      : [];
  return {
    exchange: exchangeOf({ queries, passages: passages.passages, run }),
    warnings: [...problems, ...skipped, ...doubts.warnings].map((warning) => `${source}: ${warning}`),
  };
}

function freeId(id: string, usedIds: { has(id: string): boolean }): string {
  const baseId = id === '' ? 'q' : id;
  let free = baseId;
  for (let number = 2; usedIds.has(free); number++) free = `${baseId} (${number})`;
  return free;
}
