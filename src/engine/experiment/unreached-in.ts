import { unreachedParts, type Unreached } from '../../core/analysis/unreached.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import { Pace } from '../concurrency/pace.ts';
import type { StoredPassage, WorkOptions } from '../types.ts';

/** So many passages are read at a time. */
const PORTION = 1_000;

/**
 * The parts of a corpus of which no passage is reached.
 *
 * @throws ParallaxError `cancelled`
 */
export async function unreachedIn(
  index: Pick<CorpusIndex, 'slots' | 'passages'>,
  isReached: (passage: StoredPassage) => boolean,
  { signal }: WorkOptions,
): Promise<Unreached> {
  const pace = new Pace({ signal });
  const documents = new Map<string, { id: string; passages: number; reached: number }>();
  const slots = index.slots();
  for (let from = 0; from < slots.length; from += PORTION) {
    for (const passage of index.passages(slots.slice(from, from + PORTION))) {
      const id = passage.documentId;
      const document = documents.get(id) ?? { id, passages: 0, reached: 0 };
      document.passages++;
      if (isReached(passage)) document.reached++;
      documents.set(id, document);
    }
    if (pace.due) await pace.rest();
  }
  return unreachedParts([...documents.values()]);
}
