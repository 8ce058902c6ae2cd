/**
 * Tool calls by OpenTelemetry's semantic conventions: an agent's own (`execute_tool`), and Model Context Protocol calls
 * (`tools/call`) from client or server. Arguments and result are opt-in there, so spans may lack them.
 */
import { hearCall } from './calls.ts';
import { unusedReading, textAttribute, type SpanReading } from './span-reading.ts';
import type { CapturedSpan } from './spans.ts';

const TOOL = 'gen_ai.tool.name';

/** @returns `undefined` for other spans */
export function hearToolCall(span: CapturedSpan): SpanReading | undefined {
  const { attributes } = span;
  const isCall =
    textAttribute(attributes, 'gen_ai.operation.name') === 'execute_tool' ||
    textAttribute(attributes, 'mcp.method.name') === 'tools/call';
  if (!isCall) return undefined;
  const input = attributes.get('gen_ai.tool.call.arguments');
  const output = attributes.get('gen_ai.tool.call.result');
  if (input === undefined) return unusedReading(span, TOOL, 'no-query');
  if (output === undefined) return unusedReading(span, TOOL, 'no-documents');
  return hearCall(span, { input, output, kind: TOOL });
}
