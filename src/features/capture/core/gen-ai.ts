/**
 * Retrievals by OpenTelemetry's semantic conventions for generative AI. Query and documents are opt-in there, so spans
 * may lack them.
 */
import { unpacked } from '../../../core/text/json.ts';
import { documentsIn } from './documents.ts';
import { retrievalReading, unusedReading, textAttribute, type SpanReading } from './span-reading.ts';
import type { CapturedSpan } from './spans.ts';

const OPERATION = 'gen_ai.operation.name';

export function hearGenAi(span: CapturedSpan): SpanReading | undefined {
  const { attributes } = span;
  const operation = textAttribute(attributes, OPERATION);
  if (operation === undefined) return undefined;
  if (operation !== 'retrieval') return unusedReading(span, OPERATION, 'other-work');
  const query = textAttribute(attributes, 'gen_ai.retrieval.query.text');
  if (query === undefined) return unusedReading(span, OPERATION, 'no-query');
  // A list, or JSON of one in languages whose attributes cannot be lists.
  const documents = attributes.get('gen_ai.retrieval.documents');
  if (documents === undefined) return unusedReading(span, OPERATION, 'no-documents');
  const read = documentsIn(unpacked(documents));
  if (!read) return unusedReading(span, OPERATION, 'unreadable');
  return retrievalReading(span, { step: 'retriever', query, results: read });
}
