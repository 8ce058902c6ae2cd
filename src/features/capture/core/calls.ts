/**
 * Calls of tools and functions. Nothing marks them as retrievals, so a call only counts if it was given a question and
 * returned passages with texts.
 */
import { unpacked } from '../../../core/text/json.ts';
import { passagesIn, questionIn } from './call-parts.ts';
import { retrievalReading, unusedReading, kindOf, type SpanReading } from './span-reading.ts';
import type { AttributeValue, CapturedSpan } from './spans.ts';

export interface CallOfTool {
  /** The arguments and the result of the call, as values or JSON. */
  readonly input: AttributeValue | undefined;
  readonly output: AttributeValue | undefined;
  /** The attribute that names the call if it is not a retrieval. */
  readonly kind: string;
}

/** @returns the retrieval, or the call as unused */
export function hearCall(span: CapturedSpan, { input, output, kind }: CallOfTool): SpanReading {
  const question = questionIn(unpacked(input));
  const passages = passagesIn(unpacked(output));
  if (!question || !passages) return unusedReading(span, kind, 'other-tool');
  // An unnamed argument may be anything, and so may a list of plain texts.
  if (!question.isNamed && passages.areTexts) return unusedReading(span, kind, 'other-tool');
  const retrieval = retrievalReading(span, {
    step: 'retriever',
    query: question.text,
    results: passages.results,
  });
  return { ...retrieval, call: kindOf(span, kind) };
}
