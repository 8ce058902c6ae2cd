/** Tool calls from the telemetry of the Vercel AI SDK. Newer versions follow OpenTelemetry's conventions instead. */
import { hearCall } from './calls.ts';
import { textAttribute, type SpanReading } from './span-reading.ts';
import type { CapturedSpan } from './spans.ts';

/** @returns `undefined` for other spans */
export function hearAiSdk(span: CapturedSpan): SpanReading | undefined {
  const { attributes } = span;
  if (textAttribute(attributes, 'ai.toolCall.name') === undefined) return undefined;
  return hearCall(span, {
    input: attributes.get('ai.toolCall.args'),
    output: attributes.get('ai.toolCall.result'),
    kind: 'ai.toolCall.name',
  });
}
