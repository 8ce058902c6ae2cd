/** Orders passages so that the first few show how much they differ. */
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';
import { fastMmr } from '../retrieval/fast-mmr.ts';

/** The weight of relevance if a prompt shows the most different passages. */
const DIVERSITY = 0.3;

/**
 * By MMR over hashed words, which need no model, so that a truncated prompt still shows the differences. Leaves out
 * passages without text.
 *
 * @param slots most relevant first
 */
export async function mostDiverseFirst(
  index: CorpusIndex,
  slots: readonly Slot[],
  work: WorkOptions,
): Promise<StoredPassage[]> {
  const passages = index.passages(slots).filter(({ text }) => text !== '');
  const vectors = await index.vectors(
    'hashing',
    passages.map(({ slot }) => slot),
    work,
  );
  const relevance = passages.map((_, place) => 1 / (place + 1));
  return fastMmr(relevance, vectors, { lambda: DIVERSITY }).map(({ item }) => passages[item]!);
}
