/** Tracers that record the kind of a step, with input and output as JSON: Langfuse, LangSmith, Genkit. */
import { unpacked } from '../../../core/text/json.ts';
import { passagesIn, questionIn } from './call-parts.ts';
import { hearCall } from './calls.ts';
import {
  retrievalReading,
  unusedReading,
  textAttribute,
  type CapturedRetrieval,
  type SpanReading,
} from './span-reading.ts';
import type { CapturedSpan } from './spans.ts';

interface Tracer {
  /** The attribute with the kind of a step. */
  readonly kind: string;
  readonly input: string;
  readonly output: string;
  /** Kinds that are retrievals. */
  readonly steps: Readonly<Record<string, CapturedRetrieval['step']>>;
  /** Kinds that may be retrievals. */
  readonly calls: readonly string[];
}

const TRACERS: readonly Tracer[] = [
  {
    kind: 'langfuse.observation.type',
    input: 'langfuse.observation.input',
    output: 'langfuse.observation.output',
    steps: { retriever: 'retriever' },
    // Langfuse's handler for LangChain writes retrievers as plain spans.
    calls: ['tool', 'span', 'chain'],
  },
  {
    kind: 'langsmith.span.kind',
    input: 'gen_ai.prompt',
    output: 'gen_ai.completion',
    steps: { retriever: 'retriever' },
    calls: ['tool', 'chain'],
  },
  {
    kind: 'genkit:metadata:subtype',
    input: 'genkit:input',
    output: 'genkit:output',
    steps: { retriever: 'retriever', reranker: 'reranker' },
    calls: ['tool'],
  },
];

/** @returns `undefined` for other spans */
export function hearTracer(span: CapturedSpan): SpanReading | undefined {
  for (const tracer of TRACERS) {
    const kind = textAttribute(span.attributes, tracer.kind);
    if (kind !== undefined) return hearKind(span, tracer, kind);
  }
  return undefined;
}

function hearKind(span: CapturedSpan, tracer: Tracer, kind: string): SpanReading {
  const input = span.attributes.get(tracer.input);
  const output = span.attributes.get(tracer.output);
  if (tracer.calls.includes(kind)) return hearCall(span, { input, output, kind: tracer.kind });
  const step = Object.hasOwn(tracer.steps, kind) ? tracer.steps[kind] : undefined;
  if (step === undefined) return unusedReading(span, tracer.kind, 'other-work');
  const question = questionIn(unpacked(input));
  if (!question) return unusedReading(span, tracer.kind, 'no-query');
  if (output === undefined) return unusedReading(span, tracer.kind, 'no-documents');
  const passages = passagesIn(unpacked(output));
  if (!passages) return unusedReading(span, tracer.kind, 'unreadable');
  return retrievalReading(span, { step, query: question.text, results: passages.results });
}
