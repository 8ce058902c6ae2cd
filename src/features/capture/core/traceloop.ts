/** Tasks and tools by OpenLLMetry (Traceloop) attributes: the input and output of a decorated function. */
import { hearCall } from './calls.ts';
import { unusedReading, textAttribute, type SpanReading } from './span-reading.ts';
import type { CapturedSpan } from './spans.ts';

const KIND = 'traceloop.span.kind';

export function hearTraceloop(span: CapturedSpan): SpanReading | undefined {
  const { attributes } = span;
  const kind = textAttribute(attributes, KIND);
  if (kind === undefined) return undefined;
  // A workflow or an agent is the whole program, and its output is the program's answer.
  if (kind !== 'task' && kind !== 'tool') return unusedReading(span, KIND, 'other-work');
  return hearCall(span, {
    input: attributes.get('traceloop.entity.input'),
    output: attributes.get('traceloop.entity.output'),
    kind: attributes.has('traceloop.entity.name') ? 'traceloop.entity.name' : KIND,
  });
}
