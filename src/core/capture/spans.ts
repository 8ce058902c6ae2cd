/** Spans of OpenTelemetry, as far as retrieval needs them, and how the JSON form of OTLP spells them. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../errors.ts';

export type AttributeValue = string | number | boolean;

export interface CapturedSpan {
  /** Hexadecimal, 32 digits. */
  readonly traceId: string;
  /** Hexadecimal, 16 digits. */
  readonly spanId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Those with a single value; lists and maps are left out. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** Of the program that sent it; empty where it did not say. */
  readonly service: string;
  /** The instrumentation that wrote it, by the name of its tracer; empty where it did not say. */
  readonly scope: string;
}

const NANOSECONDS_PER_MILLISECOND = 1e6;

const attributeSchema = z.object({
  key: z.string(),
  value: z
    .object({
      stringValue: z.string().optional(),
      boolValue: z.boolean().optional(),
      /** 64-bit integers are written as strings. */
      intValue: z.union([z.string(), z.number()]).transform(Number).optional(),
      doubleValue: z.number().optional(),
    })
    .optional(),
});
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

/** Counts the spans and attributes of one request while it is decoded. */
export class SpanLimits {
  #spans = 0;

  /** @throws ParallaxError `too-large` with the span that is one too many */
  countSpan(): void {
    this.#spans++;
    if (this.#spans > MOST_SPANS)
      throw new ParallaxError('too-large', l10n.t`A request may hold ${MOST_SPANS} spans at most.`);
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
export function spansOfJson(body: string): CapturedSpan[] {
  const limits = new SpanLimits();
  const { resourceSpans } = checked(() => requestSchema.parse(JSON.parse(body)));
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = serviceOf(valuesOf(resource?.attributes ?? []));
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
          attributes: valuesOf(span.attributes),
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
  return String(attributes.get('service.name') ?? '');
}

function checked<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
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

function valuesOf(list: readonly Attribute[]): Map<string, AttributeValue> {
  return new Map(
    list.flatMap(({ key, value }) => {
      const single = value?.stringValue ?? value?.boolValue ?? value?.intValue ?? value?.doubleValue;
      return single === undefined ? [] : [[key, single] as const];
    }),
  );
}
