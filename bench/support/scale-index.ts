/** The index of `bench/scale.ts`, opened as the engine opens one, and what it is asked. */
import path from 'node:path';
import type { Bm25Retriever, DenseRetriever } from '../../src/core/pipeline.ts';
import { CorpusIndex } from '../../src/engine/corpus-index.ts';
import { HashingEmbedder } from '../../src/engine/embedders/hashing-embedder.ts';
import { corpusSchema } from '../../src/shared/config.ts';
import type { Step } from './scale-figures.ts';

const DIMENSIONS = 384;
export const DEPTH = 10;
export const BM25: Bm25Retriever = {
  type: 'bm25',
  k1: 0.9,
  b: 0.4,
  analyzer: 'english',
  variant: 'lucene',
  epsilon: 0.25,
};
export const dense = (search: DenseRetriever['search']): DenseRetriever => ({
  type: 'dense',
  embedder: 'hashing',
  search,
  ef: 100,
});

/** @param folder with the corpus in it */
export function openIndex(folder: string): Promise<CorpusIndex> {
  const embedder = new HashingEmbedder(DIMENSIONS);
  return CorpusIndex.open(
    {
      name: 'scale',
      base: folder,
      config: corpusSchema.parse({ roots: ['corpus.jsonl', 'more.jsonl'] }),
      excludeGlobs: [],
      store: path.join(folder, 'index'),
    },
    {
      embedder: () => Promise.resolve(embedder),
      crossEncoders: { score: () => Promise.reject(new Error('No pipeline here asks a cross-encoder.')) },
      externals: {
        search: () => Promise.reject(new Error('No pipeline here asks a foreign retriever.')),
        store: () => {
          throw new Error('No pipeline here asks a store.');
        },
      },
      // Exact, whatever the size: that is what is measured.
      approximateAbove: Infinity,
      log: (message) => void process.stderr.write(`${message}\n`),
    },
  );
}

export async function measured(work: () => Promise<unknown>): Promise<Step> {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - begun, cpuMs: (user + system) / 1000 };
}
