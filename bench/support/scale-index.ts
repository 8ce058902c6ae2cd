/** The index of `bench/scale.ts`, opened as by the engine, and its queries. */
import path from 'node:path';
import type { DenseRetriever } from '../../src/core/pipeline.ts';
import type { CorpusIndex } from '../../src/engine/corpora/corpus-index.ts';
import { openPlainIndex } from './plain-index.ts';
import type { Step } from './scale-figures.ts';

const DIMENSIONS = 384;
export const DEPTH = 10;
export const dense = (search: DenseRetriever['search']): DenseRetriever => ({
  type: 'dense',
  embedder: 'hashing',
  search,
  ef: 100,
});

/** @param folder with the corpus in it */
export function openIndex(folder: string): Promise<CorpusIndex> {
  return openPlainIndex({
    folder,
    store: path.join(folder, 'index'),
    corpus: { roots: ['corpus.jsonl', 'more.jsonl'] },
    dimensions: DIMENSIONS,
    log: (message) => void process.stderr.write(`${message}\n`),
  });
}

export async function measured(work: () => Promise<unknown>): Promise<Step> {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - begun, cpuMs: (user + system) / 1000 };
}
