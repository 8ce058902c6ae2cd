/** All conventions for retrievals in spans, and the handling of spans that follow none. */
import { hearAiSdk } from './ai-sdk.ts';
import { hearGenAi } from './gen-ai.ts';
import {
  unusedReading,
  isRetrieval,
  textAttribute,
  type CapturedRetrieval,
  type Convention,
  type SpanReading,
} from './span-reading.ts';
import { hearOpenInference } from './openinference.ts';
import { hearOwnTool, type ToolsByName } from './own-tools.ts';
import type { CapturedSpan } from './spans.ts';
import { hearToolCall } from './tool-call.ts';
import { hearTraceloop } from './traceloop.ts';
import { hearTracer } from './tracers.ts';

/** Programs may follow several at once. The first that finds a retrieval counts. */
const CONVENTIONS: readonly Convention[] = [
  hearOpenInference,
  hearToolCall,
  hearGenAi,
  hearAiSdk,
  hearTraceloop,
  hearTracer,
];

/** Attributes by which other spans describe themselves, most specific first. */
const OTHER_KINDS = [
  'ai.operationId',
  'genkit:type',
  'mcp.method.name',
  'db.system.name',
  'db.system',
  'http.request.method',
  'rpc.system',
];

/**
 * The retrieval in a span, by any convention.
 *
 * @param tools with answers in a custom form
 */
export function readSpan(span: CapturedSpan, tools: ToolsByName = {}): SpanReading {
  const reading = hearOwnTool(span, tools);
  if (reading) return reading;
  const readings = CONVENTIONS.flatMap((convention) => convention(span) ?? []);
  return readings.find(isRetrieval) ?? readings[0] ?? otherWork(span);
}

/** @returns `undefined` for spans that are not retrievals or cannot be read */
export function retrievalOf(span: CapturedSpan): CapturedRetrieval | undefined {
  const reading = readSpan(span);
  return isRetrieval(reading) ? reading.retrieval : undefined;
}

function otherWork(span: CapturedSpan): SpanReading {
  const attribute = OTHER_KINDS.find((name) => textAttribute(span.attributes, name) !== undefined);
  return attribute === undefined
    ? { unused: { kind: '', reason: 'other-work' } }
    : unusedReading(span, attribute, 'other-work');
}
