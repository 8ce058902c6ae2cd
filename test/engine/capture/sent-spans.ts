/** Spans of any convention, sent to a real receiver by real exporters in both forms of OTLP. */
import type { TestContext } from 'node:test';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { CapturedRetrieval, UnusedSpan } from '../../../src/features/capture/core/span-reading.ts';
import { startSpanReceiver } from '../../../src/features/capture/engine/span-receiver.ts';

export interface ExampleSpan {
  readonly name: string;
  readonly scope?: string;
  /** May contain lists and maps, as the convention defines. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

export const FORMS = [
  ['JSON', JsonExporter],
  ['protobuf', ProtobufExporter],
] as const;

/** Reads spans of a real exporter through the receiver. */
export async function received(
  t: TestContext,
  Exporter: (typeof FORMS)[number][1],
  spans: readonly ExampleSpan[],
  { oneTrace = false } = {},
): Promise<{ captured: CapturedRetrieval[]; unused: UnusedSpan[] }> {
  const captured: CapturedRetrieval[] = [];
  const unused: UnusedSpan[] = [];
  const receiver = await startSpanReceiver({
    port: 0,
    onRetrieval: (retrieval) => captured.push(retrieval),
    onUnused: (others) => unused.push(...others),
    onRefused: () => undefined,
    log: () => undefined,
  });
  t.after(() => receiver.close());
  const processor = new BatchSpanProcessor(new Exporter({ url: receiver.url }), { maxQueueSize: 10_000 });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const root = provider.getTracer('test').startSpan('never ended');
  const parent = oneTrace ? trace.setSpan(ROOT_CONTEXT, root) : ROOT_CONTEXT;
  for (const { name, scope = 'test', attributes } of spans) {
    const span = provider.getTracer(scope).startSpan(name, {}, parent);
    // The JavaScript API accepts no maps yet, which other languages send.
    if ('attributes' in span && span.attributes) Object.assign(span.attributes, attributes);
    span.end();
  }
  await provider.forceFlush();
  await provider.shutdown();
  return { captured, unused };
}
