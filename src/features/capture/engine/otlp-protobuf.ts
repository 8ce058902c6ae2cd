/**
 * Reads the protobuf form of OTLP. opentelemetry/proto defines the numbers of the fields: trace/v1/trace.proto for spans,
 * logs/v1/logs.proto for log records, whose containers have the same numbers.
 */
import * as l10n from '@vscode/l10n';
import { PbfReader } from 'pbf';
import {
  EVENT_OF_RESULT,
  MAX_ID,
  MAX_VALUE_DEPTH,
  millisecondsOf,
  resultOfEvent,
  serviceOf,
  SpanLimits,
  type AttributeValue,
  type CapturedSpan,
} from '../core/spans.ts';
import { ParallaxError } from '../../../core/errors.ts';

interface SpanFields {
  traceId: string;
  spanId: string;
  name: string;
  startNanoseconds: number;
  readonly attributes: Map<string, AttributeValue>;
  readonly limits: SpanLimits;
}

type ReadRecord = (field: number, span: SpanFields, reader: PbfReader) => void;

interface Reading {
  readonly limits: SpanLimits;
  readonly readRecord: ReadRecord;
}

interface ScopeFields extends Reading {
  scope: string;
  readonly spans: SpanFields[];
}

interface ResourceFields extends Reading {
  readonly attributes: Map<string, AttributeValue>;
  readonly scopes: ScopeFields[];
}

interface RequestFields extends Reading {
  readonly resources: ResourceFields[];
}

/**
 * The spans of an OTLP request.
 *
 * @throws ParallaxError `bad-argument` for invalid bytes, `too-large` for more than {@link SpanLimits} allow
 */
export function spansOfProtobuf(body: Uint8Array, limits = new SpanLimits()): CapturedSpan[] {
  return recordsOf(body, { limits, readRecord: readSpan });
}

/** The log records of an OTLP request. @throws ParallaxError like {@link spansOfProtobuf} */
export function logsOfProtobuf(body: Uint8Array, limits = new SpanLimits()): CapturedSpan[] {
  return recordsOf(body, { limits, readRecord: readLog }).map((log) => ({ ...log, isLog: true }));
}

function recordsOf(body: Uint8Array, reading: Reading): CapturedSpan[] {
  const request: RequestFields = { resources: [], ...reading };
  try {
    new PbfReader(body).readFields(readRequest, request);
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    throw new ParallaxError('bad-argument', l10n.t('The request has no OpenTelemetry spans.'), {
      cause: error,
    });
  }
  return request.resources.flatMap(({ attributes, scopes }) =>
    scopes.flatMap(({ scope, spans }) =>
      spans.map(({ startNanoseconds, traceId, spanId, name, attributes: spanAttributes }) => ({
        traceId,
        spanId,
        name,
        attributes: spanAttributes,
        startedAt: millisecondsOf(startNanoseconds),
        service: serviceOf(attributes),
        scope,
      })),
    ),
  );
}

function readRequest(
  field: number,
  { resources, limits, readRecord }: RequestFields,
  reader: PbfReader,
): void {
  if (field !== 1) return;
  limits.count('frames');
  const resource = { attributes: new Map(), scopes: [], limits, readRecord };
  resources.push(reader.readMessage(readResourceSpans, resource));
}

function readResourceSpans(field: number, resource: ResourceFields, reader: PbfReader): void {
  if (field === 1) reader.readMessage(readResource, resource);
  else if (field === 2) {
    const { scopes, limits, readRecord } = resource;
    limits.count('frames');
    scopes.push(reader.readMessage(readScopeSpans, { scope: '', spans: [], limits, readRecord }));
  }
}

function readResource(field: number, { attributes, limits }: ResourceFields, reader: PbfReader): void {
  if (field === 1) readAttribute({ attributes, limits, depth: 0 }, reader);
}

function readScopeSpans(field: number, scoped: ScopeFields, reader: PbfReader): void {
  if (field === 1) reader.readMessage(readScope, scoped);
  if (field !== 2) return;
  const { limits } = scoped;
  limits.count('spans');
  const span = { traceId: '', spanId: '', name: '', startNanoseconds: 0, attributes: new Map(), limits };
  scoped.spans.push(reader.readMessage(scoped.readRecord, span));
  limits.checkAttributes(span.attributes.size);
}

function readScope(field: number, scoped: ScopeFields, reader: PbfReader): void {
  if (field === 1) scoped.scope = reader.readString();
}

function readSpan(field: number, span: SpanFields, reader: PbfReader): void {
  if (field === 1) span.traceId = hex(reader.readBytes());
  else if (field === 2) span.spanId = hex(reader.readBytes());
  else if (field === 5) span.name = reader.readString();
  else if (field === 7) span.startNanoseconds = reader.readFixed64();
  else if (field === 9) readAttribute({ ...span, depth: 0 }, reader);
  else if (field === 11) readEvent(span, reader);
}

function readEvent({ attributes, limits }: SpanFields, reader: PbfReader): void {
  limits.count('attributes');
  const event = { name: '', attributes: new Map<string, AttributeValue>() };
  reader.readMessage((field) => {
    if (field === 2) event.name = reader.readString();
    // The name comes first. Other events are not decoded.
    else if (field === 3 && event.name === EVENT_OF_RESULT)
      readAttribute({ attributes: event.attributes, limits, depth: 0 }, reader);
  }, event);
  resultOfEvent(event.attributes, attributes);
}

function readLog(field: number, log: SpanFields, reader: PbfReader): void {
  if (field === 1) log.startNanoseconds = reader.readFixed64();
  else if (field === 6) readAttribute({ ...log, depth: 0 }, reader);
  else if (field === 9) log.traceId = hex(reader.readBytes());
  else if (field === 10) log.spanId = hex(reader.readBytes());
}

/** Where attributes are added, and how deep they are within lists and maps. */
interface Attributes {
  readonly attributes: Map<string, AttributeValue>;
  readonly limits: SpanLimits;
  readonly depth: number;
}

function readAttribute({ attributes, limits, depth }: Attributes, reader: PbfReader): void {
  limits.count(depth === 0 ? 'attributes' : 'values');
  const pair: KeyValue = { key: '', value: undefined, limits, depth };
  const { key, value } = reader.readMessage(readKeyValue, pair);
  if (value !== undefined) attributes.set(key, value);
}

interface AnyValue {
  value: AttributeValue | undefined;
  readonly limits: SpanLimits;
  readonly depth: number;
}

interface KeyValue extends AnyValue {
  key: string;
}

function readKeyValue(field: number, pair: KeyValue, reader: PbfReader): void {
  if (field === 1) pair.key = reader.readString();
  else if (field === 2) reader.readMessage(readAnyValue, pair);
}

function readAnyValue(field: number, any: AnyValue, reader: PbfReader): void {
  if (field === 1) any.value = reader.readString();
  else if (field === 2) any.value = reader.readBoolean();
  else if (field === 3) any.value = reader.readVarint(true);
  else if (field === 4) any.value = reader.readDouble();
  else if (any.depth === MAX_VALUE_DEPTH) return;
  else if (field === 5) any.value = readList(any, reader);
  else if (field === 6) any.value = readMap(any, reader);
}

function readList({ limits, depth }: AnyValue, reader: PbfReader): readonly AttributeValue[] {
  const list: AttributeValue[] = [];
  reader.readMessage((field) => {
    if (field !== 1) return;
    limits.count('values');
    const inner: AnyValue = { value: undefined, limits, depth: depth + 1 };
    const { value } = reader.readMessage(readAnyValue, inner);
    if (value !== undefined) list.push(value);
  }, list);
  return list;
}

function readMap({ limits, depth }: AnyValue, reader: PbfReader): AttributeValue {
  const attributes = new Map<string, AttributeValue>();
  reader.readMessage((field) => {
    if (field !== 1) return;
    readAttribute({ attributes, limits, depth: depth + 1 }, reader);
  }, attributes);
  return Object.fromEntries(attributes);
}

function hex(bytes: Uint8Array): string {
  const id = Buffer.from(bytes).toString('hex');
  if (id.length > MAX_ID) throw new RangeError('The id is too long.');
  return id;
}
