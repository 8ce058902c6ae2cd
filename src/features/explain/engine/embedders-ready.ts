/** Embedders that have vectors of a corpus, so that a search with them can be tried at once. */
import { ParallaxError } from '../../../core/errors.ts';
import { pipelineSchema, type DenseRetriever } from '../../../core/pipeline.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';

/** Leaves out those that cannot be used on this machine. */
export async function embeddersReady(index: CorpusIndex, names: readonly string[]): Promise<string[]> {
  const ready: string[] = [];
  for (const name of names) if (await isReady(index, name)) ready.push(name);
  return ready;
}

async function isReady(index: CorpusIndex, name: string): Promise<boolean> {
  try {
    return await index.hasVectors(name);
  } catch (error) {
    if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
    return false;
  }
}

export const denseBy = (embedder: string): DenseRetriever =>
  pipelineSchema.shape.retriever.parse({ type: 'dense', embedder }) as DenseRetriever;
