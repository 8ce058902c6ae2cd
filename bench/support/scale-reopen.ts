/**
 * Opens the index made by scale-child.ts in a new process, as after a restart of the editor, and runs the first query.
 * Writes the cost as one line of JSON.
 *
 *     node bench/support/scale-reopen.ts <folder> bm25|dense|hybrid
 */
import { DEFAULT_BM25, type HybridRetriever, type RetrieverSpec } from '../../src/core/pipeline.ts';
import { retrieve } from '../../src/engine/retrieval/retrieve.ts';
import { dense, DEPTH, measured, openIndex } from './scale-index.ts';
import { SyntheticCorpus } from './synthetic-corpus.ts';

const HYBRID: HybridRetriever = { type: 'hybrid', retrievers: [DEFAULT_BM25, dense('exact')], rrfK: 60 };
const RETRIEVERS: Readonly<Record<string, RetrieverSpec>> = {
  bm25: DEFAULT_BM25,
  dense: dense('exact'),
  hybrid: HYBRID,
};

const [, , folder, retriever] = process.argv;
const query = { text: new SyntheticCorpus(1).query() };
const step = await measured(async () => {
  const index = await openIndex(folder!);
  await retrieve(index.searches, RETRIEVERS[retriever!]!, query, DEPTH, {});
});
process.stdout.write(`${JSON.stringify(step)}\n`);
setTimeout(() => process.exit(), 1);
