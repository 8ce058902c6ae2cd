/** Every convention by which spans tell of retrievals, and what becomes of a span that follows none of them. */
import { hearAiSdk } from './ai-sdk.ts';
import { hearGenAi } from './gen-ai.ts';
import {
  heardUnused,
  isRetrieval,
  textAttribute,
  type CapturedRetrieval,
  type Convention,
  type Heard,
} from './heard.ts';
import { hearOpenInference } from './openinference.ts';
import { hearOwnTool, type ToolsByName } from './own-tools.ts';
import type { CapturedSpan } from './spans.ts';
import { hearToolCall } from './tool-call.ts';
import { hearTraceloop } from './traceloop.ts';
import { hearTracer } from './tracers.ts';

/** Programs may follow several at once: the first that knows a span's retrieval counts. */
const CONVENTIONS: readonly Convention[] = [
  hearOpenInference,
  hearToolCall,
  hearGenAi,
  hearAiSdk,
  hearTraceloop,
  hearTracer,
];

/** By which attributes other spans say what they are, the most telling first. */
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
 * The retrieval that a span tells of, whichever convention it follows.
 *
 * @param tools whose answers have a form of their own
 */
export function hear(span: CapturedSpan, tools: ToolsByName = {}): Heard {
  const own = hearOwnTool(span, tools);
  if (own) return own;
  const told = CONVENTIONS.flatMap((convention) => convention(span) ?? []);
  return told.find(isRetrieval) ?? told[0] ?? otherWork(span);
}

/** @returns nothing for spans that are no retrievals, or cannot be read as one */
export function retrievalOf(span: CapturedSpan): CapturedRetrieval | undefined {
  const heard = hear(span);
  return isRetrieval(heard) ? heard.retrieval : undefined;
}

function otherWork(span: CapturedSpan): Heard {
  const attribute = OTHER_KINDS.find((name) => textAttribute(span.attributes, name) !== undefined);
  return attribute === undefined
    ? { unused: { kind: '', reason: 'other-work' } }
    : heardUnused(span, attribute, 'other-work');
}
