/**
 * A retrieving program instrumented like LangChain's: it reports its retrievals to the address in the environment. Its
 * arguments are the place of its call (file, line), a question, and documents to "retrieve".
 */
import { readFileSync } from 'node:fs';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const [file = '', line = '', question = '', ...documents] = process.argv.slice(2);

/** The first words of a passage of the corpus. */
function beginning(document: string): string {
  return /^(?:\s*\S+){100}/u.exec(readFileSync(document, 'utf8'))?.[0] ?? '';
}

// The exporter reads its endpoint from the environment.
const processor = new SimpleSpanProcessor(new OTLPTraceExporter());
const provider = new BasicTracerProvider({ spanProcessors: [processor] });
const retrieved = documents.map((document, rank) => [
  `retrieval.documents.${rank}.document.content`,
  beginning(document),
]);
const attributes = {
  'openinference.span.kind': 'RETRIEVER',
  'input.value': question,
  'code.filepath': file,
  'code.lineno': Number(line),
  ...(Object.fromEntries(retrieved) as Record<string, string>),
};
const tracer = provider.getTracer('openinference.instrumentation.langchain');
tracer.startSpan('VectorStoreRetriever', { attributes }).end();
await provider.forceFlush();
await provider.shutdown();
console.log(`Retrieved ${documents.length}.`);
