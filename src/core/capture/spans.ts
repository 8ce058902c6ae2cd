/** Spans of OpenTelemetry, as far as retrieval needs them, and how the JSON form of OTLP spells them. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../errors.ts';

export type AttributeValue =
  string | number | boolean | readonly AttributeValue[] | { readonly [name: string]: AttributeValue };

export interface CapturedSpan {
  /** Hexadecimal, 32 digits. */
  readonly traceId: string;
  /** Hexadecimal, 16 digits. */
  readonly spanId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Bytes are left out, and what is nested deeper than {@link DEEPEST_VALUE}. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** Of the program that sent it; empty where it did not say. */
  readonly service: string;
  /** The instrumentation that wrote it, by the name of its tracer; empty where it did not say. */
  readonly scope: string;
}

const NANOSECONDS_PER_MILLISECOND = 1e6;

/** Entries of lists and maps are checked one by one afterwards, as spans are. */
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
type Attribute = z.output<typeof attributeSchema>;

const attributes = z.array(attributeSchema).default([]);

const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  name: z.string().default(''),
  startTimeUnixNano: z.union([z.string(), z.number()]).transform(Number).default(0),
  attributes,
});

/** Spans are checked one by one afterwards: the first wrong one ends the reading, before it costs more. */
const requestSchema = z.object({
  resourceSpans: z
    .array(
      z.object({
        resource: z.object({ attributes }).optional(),
        scopeSpans: z
          .array(
            z.object({
              scope: z.object({ name: z.string().default('') }).default({ name: '' }),
              spans: z.array(z.unknown()).default([]),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
});

/** Exporters send at most some hundred spans at a time. */
const MOST_SPANS = 10_000;
/** Of one span: a retriever writes a few for each of its documents. */
const MOST_ATTRIBUTES = 10_000;
/** Of one request, within lists and maps: a list of documents has some ten of each document. */
const MOST_VALUES = 100_000;
/** How deep lists and maps may stand within each other. */
export const DEEPEST_VALUE = 12;

interface MostOf {
  readonly spans: number;
  /** Within lists and maps. */
  readonly values: number;
}

/** Counts the spans and values of one request while it is decoded. */
export class SpanLimits {
  readonly #most: MostOf;
  #spans = 0;
  #values = 0;

  /** @param most of a request when left out */
  constructor(most: MostOf = { spans: MOST_SPANS, values: MOST_VALUES }) {
    this.#most = most;
  }

  /** @throws ParallaxError `too-large` with the value of a list or map that is one too many */
  countValue(): void {
    this.#values++;
    const { values } = this.#most;
    if (this.#values > values)
      throw new ParallaxError(
        'too-large',
        l10n.t`A request may hold ${values} values in lists and maps at most.`,
      );
  }

  /** @throws ParallaxError `too-large` with the span that is one too many */
  countSpan(): void {
    this.#spans++;
    const { spans } = this.#most;
    if (this.#spans > spans)
      throw new ParallaxError('too-large', l10n.t`A request may hold ${spans} spans at most.`);
  }

  /** @throws ParallaxError `too-large` where a span has more than {@link MOST_ATTRIBUTES} */
  checkAttributes(count: number): void {
    if (count > MOST_ATTRIBUTES)
      throw new ParallaxError('too-large', l10n.t`A span may hold ${MOST_ATTRIBUTES} attributes at most.`);
  }
}

/**
 * The spans of an OTLP request in its JSON form.
 *
 * @throws ParallaxError `bad-argument` for anything else, `too-large` for more than {@link SpanLimits} allow
 */
export function spansOfJson(body: string, limits = new SpanLimits()): CapturedSpan[] {
  const { resourceSpans } = checked(() => requestSchema.parse(JSON.parse(body)));
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = checked(() => serviceOf(valuesOf(resource?.attributes ?? [], limits)));
    return scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((json) => {
        limits.countSpan();
        limits.checkAttributes(attributeCountOf(json));
        const span = checked(() => spanSchema.parse(json));
        return {
          traceId: span.traceId,
          spanId: span.spanId,
          name: span.name,
          startedAt: millisecondsOf(span.startTimeUnixNano),
          attributes: checked(() => valuesOf(span.attributes, limits)),
          service,
          scope: scope.name,
        };
      }),
    );
  });
}

/** @param nanoseconds since 1970 */
export function millisecondsOf(nanoseconds: number): number {
  return Math.floor(nanoseconds / NANOSECONDS_PER_MILLISECOND);
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
    throw new ParallaxError('bad-argument', l10n.t('The request holds no OpenTelemetry spans.'), {
      cause: error,
    });
  }
}

/** Counted before they are checked, since checking many wrong ones is what costs. */
function attributeCountOf(span: unknown): number {
  const list =
    typeof span === 'object' && span !== null && 'attributes' in span ? span.attributes : undefined;
  return Array.isArray(list) ? list.length : 0;
}

function valuesOf(list: readonly Attribute[], limits: SpanLimits, depth = 0): Map<string, AttributeValue> {
  return new Map(
    list.flatMap(({ key, value }) => {
      const own = value && valueOf(value, limits, depth);
      return own === undefined ? [] : [[key, own] as const];
    }),
  );
}

function valueOf(
  value: z.output<typeof valueSchema>,
  limits: SpanLimits,
  depth: number,
): AttributeValue | undefined {
  const single = value.stringValue ?? value.boolValue ?? value.intValue ?? value.doubleValue;
  if (single !== undefined || depth === DEEPEST_VALUE) return single;
  const { arrayValue, kvlistValue } = value;
  if (arrayValue)
    return arrayValue.values
      .map((json) => valueOf(counted(json, limits, valueSchema), limits, depth + 1))
      .filter((inner) => inner !== undefined);
  if (kvlistValue) {
    const pairs = kvlistValue.values.map((json) => counted(json, limits, attributeSchema));
    return Object.fromEntries(valuesOf(pairs, limits, depth + 1));
  }
  return undefined;
}

function counted<T>(json: unknown, limits: SpanLimits, schema: z.ZodType<T>): T {
  limits.countValue();
  return schema.parse(json);
}
