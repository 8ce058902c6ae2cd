/**
 * Calls of tools and functions. Nothing says of one that it retrieves, so it counts only where it was given a question
 * and passages with their texts came back.
 */
import { unpacked } from '../text/json.ts';
import { passagesIn, questionIn } from './call-parts.ts';
import { heardRetrieval, heardUnused, kindOf, type Heard } from './heard.ts';
import type { AttributeValue, CapturedSpan } from './spans.ts';

export interface CallOfTool {
  /** The arguments and the result of the call: values, or JSON of them. */
  readonly input: AttributeValue | undefined;
  readonly output: AttributeValue | undefined;
  /** The attribute by which the call is told where it is no retrieval. */
  readonly kind: string;
}

/** @returns the retrieval, or the call as one that cannot be shown */
export function hearCall(span: CapturedSpan, { input, output, kind }: CallOfTool): Heard {
  const question = questionIn(unpacked(input));
  const passages = passagesIn(unpacked(output));
  if (!question || !passages) return heardUnused(span, kind, 'other-tool');
  // An argument without a name may be anything; a list of mere texts may be, too.
  if (!question.isNamed && passages.areTexts) return heardUnused(span, kind, 'other-tool');
  const retrieval = heardRetrieval(span, {
    step: 'retriever',
    query: question.text,
    results: passages.found,
  });
  return { ...retrieval, call: kindOf(span, kind) };
}
