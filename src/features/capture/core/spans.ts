/** OpenTelemetry spans, reduced to what retrieval needs, and their OTLP JSON form. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { ParallaxError } from '../../../core/errors.ts';

export type AttributeValue =
  | string
  | number
  | boolean
  | readonly AttributeValue[]
  | { readonly [name: string]: AttributeValue };

export interface CapturedSpan {
  /** Hexadecimal, 32 digits. */
  readonly traceId: string;
  /** Hexadecimal, 16 digits. */
  readonly spanId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Without bytes and values nested deeper than {@link MAX_VALUE_DEPTH}. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** The program that sent it. Empty if unknown. */
  readonly service: string;
  /** The instrumentation that wrote it, by its tracer's name. Empty if unknown. */
  readonly scope: string;
  /** Whether it is a log record. */
  readonly isLog?: true | undefined;
}

const NANOSECONDS_PER_MILLISECOND = 1e6;
/** Beyond it there are no dates. */
const LAST_MOMENT = 8.64e15;

/** Entries of lists and maps are validated one by one later, as spans are. */
const valuesSchema = z.object({ values: z.array(z.unknown()).default([]) }).optional();

const valueSchema = z.object({
  stringValue: z.string().optional(),
  boolValue: z.boolean().optional(),
  /** 64-bit integers are written as strings. */
  intValue: z.union([z.string(), z.number()]).transform(Number).optional(),
  doubleValue: z.number().optional(),
  arrayValue: valuesSchema,
  kvlistValue: valuesSchema,
});

const attributeSchema = z.object({ key: z.string(), value: valueSchema.optional() });

/** Entries are validated one by one later, so that the first invalid one ends the reading early. */
const entries = z.array(z.unknown()).default([]);
const nanoseconds = z.union([z.string(), z.number()]).transform(Number).default(0);

/** Ids are remembered. In OpenTelemetry they have 32 digits at most. */
export const MAX_ID = 200;
const idSchema = z.string().max(MAX_ID);

const spanSchema = z.object({
  traceId: idSchema,
  spanId: idSchema,
  name: z.string().default(''),
  startTimeUnixNano: nanoseconds,
  attributes: entries,
  events: entries,
});

const eventSchema = z.object({ name: z.string().default(''), attributes: entries });

const logSchema = z.object({
  traceId: idSchema.default(''),
  spanId: idSchema.default(''),
  timeUnixNano: nanoseconds,
  attributes: entries,
});

const requestSchema = z.object({ resourceSpans: entries, resourceLogs: entries });

const resourceSchema = z.object({
  resource: z.object({ attributes: entries }).optional(),
  scopeSpans: entries,
  scopeLogs: entries,
});

const scopeSchema = z.object({
  scope: z.object({ name: z.string().default('') }).default({ name: '' }),
  spans: entries,
  logRecords: entries,
});

/** Limits of one request or file. */
export interface MostOf {
  readonly spans: number;
  /** Resources, scopes and other containers of spans. */
  readonly frames: number;
  /** Attributes of all spans and resources. */
  readonly attributes: number;
  /** Values within lists and maps. */
  readonly values: number;
}

/** Exporters send at most a few hundred spans at once. A list of documents has about ten values per document. */
const MAX_OF_REQUEST: MostOf = { spans: 10_000, frames: 10_000, attributes: 500_000, values: 100_000 };
/** The most attributes of one span. A retriever writes a few for each document. */
const MAX_ATTRIBUTES = 10_000;
/** The deepest nesting of lists and maps. */
export const MAX_VALUE_DEPTH = 12;

/** Counts the parts of one request while it is decoded. */
export class SpanLimits {
  readonly #most: MostOf;
  readonly #counts = { spans: 0, frames: 0, attributes: 0, values: 0 };

  constructor(most: MostOf = MAX_OF_REQUEST) {
    this.#most = most;
  }

  /** @throws ParallaxError `too-large` if the limit is exceeded */
  count(part: keyof MostOf): void {
    this.#counts[part]++;
    const most = this.#most[part];
    if (this.#counts[part] > most) throw new ParallaxError('too-large', tooMany(part, most));
  }

  /** @throws ParallaxError `too-large` if a span has more than {@link MAX_ATTRIBUTES} */
  checkAttributes(count: number): void {
    if (count > MAX_ATTRIBUTES)
      throw new ParallaxError('too-large', l10n.t`A span may hold ${MAX_ATTRIBUTES} attributes at most.`);
  }
}

function tooMany(part: keyof MostOf, most: number): string {
  switch (part) {
    case 'spans':
      return l10n.t`A request may hold ${most} spans at most.`;
    case 'frames':
      return l10n.t`A request may hold ${most} resources and scopes at most.`;
    case 'attributes':
      return l10n.t`A request may hold ${most} attributes at most.`;
    case 'values':
      return l10n.t`A request may hold ${most} values in lists and maps at most.`;
  }
}

/**
 * The spans and log records of an OTLP request in JSON form.
 *
 * @throws ParallaxError `bad-argument` for anything else, `too-large` for more than {@link SpanLimits} allow
 */
export function spansOfJson(body: string, limits = new SpanLimits()): CapturedSpan[] {
  return checked(() =>
    Object.values(requestSchema.parse(JSON.parse(body))).flatMap((resources) =>
      resources.flatMap((entry) => spansOfResource(entry, limits)),
    ),
  );
}

function spansOfResource(entry: unknown, limits: SpanLimits): CapturedSpan[] {
  limits.count('frames');
  const { resource, scopeSpans, scopeLogs } = resourceSchema.parse(entry);
  const service = serviceOf(valuesOf(resource?.attributes ?? [], limits, 'attributes'));
  return [...scopeSpans, ...scopeLogs].flatMap((inner) => {
    limits.count('frames');
    const { scope, spans, logRecords } = scopeSchema.parse(inner);
    const origin = { service, scope: scope.name };
    return [
      ...spans.map((json) => spanOfJson(json, origin, limits)),
      ...logRecords.map((json) => logOfJson(json, origin, limits)),
    ];
  });
}

type Origin = Pick<CapturedSpan, 'service' | 'scope'>;

function spanOfJson(json: unknown, origin: Origin, limits: SpanLimits): CapturedSpan {
  limits.count('spans');
  const { traceId, spanId, name, ...span } = spanSchema.parse(json);
  limits.checkAttributes(span.attributes.length);
  const attributes = valuesOf(span.attributes, limits, 'attributes');
  for (const entry of span.events) {
    limits.count('attributes');
    const event = eventSchema.parse(entry);
    if (event.name === EVENT_OF_RESULT)
      resultOfEvent(valuesOf(event.attributes, limits, 'attributes'), attributes);
  }
  return { traceId, spanId, name, startedAt: millisecondsOf(span.startTimeUnixNano), attributes, ...origin };
}

function logOfJson(json: unknown, origin: Origin, limits: SpanLimits): CapturedSpan {
  limits.count('spans');
  const { traceId, spanId, timeUnixNano, ...log } = logSchema.parse(json);
  limits.checkAttributes(log.attributes.length);
  const attributes = valuesOf(log.attributes, limits, 'attributes');
  const startedAt = millisecondsOf(timeUnixNano);
  return { traceId, spanId, name: '', startedAt, attributes, ...origin, isLog: true };
}

/** The event in which Claude Code tells what a tool returned. Other events are not read. */
export const EVENT_OF_RESULT = 'tool.output';

/** @param attributes of the span, to which the result is added under its name in OpenTelemetry's conventions */
export function resultOfEvent(
  event: ReadonlyMap<string, AttributeValue>,
  attributes: Map<string, AttributeValue>,
): void {
  const output = event.get('output');
  if (output !== undefined && !attributes.has(TOOL_RESULT)) attributes.set(TOOL_RESULT, output);
}

export const TOOL_RESULT = 'gen_ai.tool.call.result';

/** @param nanoseconds since 1970 @returns 0 for a time that no date has: a wrong clock is no reason to lose a span */
export function millisecondsOf(nanoseconds: number): number {
  return momentOf(Math.floor(nanoseconds / NANOSECONDS_PER_MILLISECOND));
}

/** As {@link millisecondsOf}, from milliseconds. */
export function momentOf(milliseconds: number): number {
  return Math.abs(milliseconds) <= LAST_MOMENT ? milliseconds : 0;
}

/** @param attributes of a resource */
export function serviceOf(attributes: ReadonlyMap<string, AttributeValue>): string {
  const name = attributes.get('service.name') ?? '';
  return typeof name === 'object' ? '' : String(name);
}

function checked<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    throw new ParallaxError('bad-argument', l10n.t('The request has no OpenTelemetry spans.'), {
      cause: error,
    });
  }
}

/** Counts each entry before validating it, and stops at the first invalid one, as validating many is expensive. */
function valuesOf(
  list: readonly unknown[],
  limits: SpanLimits,
  counted: 'attributes' | 'values',
  depth = 0,
): Map<string, AttributeValue> {
  const values = new Map<string, AttributeValue>();
  for (const entry of list) {
    limits.count(counted);
    const { key, value } = attributeSchema.parse(entry);
    const content = value && valueOf(value, limits, depth);
    if (content !== undefined) values.set(key, content);
  }
  return values;
}

function valueOf(
  value: Read<typeof valueSchema>,
  limits: SpanLimits,
  depth: number,
): AttributeValue | undefined {
  const single = value.stringValue ?? value.boolValue ?? value.intValue ?? value.doubleValue;
  if (single !== undefined || depth === MAX_VALUE_DEPTH) return single;
  const { arrayValue, kvlistValue } = value;
  if (arrayValue)
    return arrayValue.values
      .map((json) => {
        limits.count('values');
        return valueOf(valueSchema.parse(json), limits, depth + 1);
      })
      .filter((inner) => inner !== undefined);
  if (kvlistValue) return Object.fromEntries(valuesOf(kvlistValue.values, limits, 'values', depth + 1));
  return undefined;
}
