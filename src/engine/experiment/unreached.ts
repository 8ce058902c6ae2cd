import { unreachedParts, type Unreached } from '../../core/analysis/unreached.ts';
import { Pace } from '../concurrency/pace.ts';
import type { Slot, WorkOptions } from '../types.ts';
import type { RanDataset } from './experiments.ts';

/** Passages read at a time. */
const PORTION = 1_000;

/**
 * The parts of a corpus of which no passage is in the top k of any pipeline for any query.
 *
 * @throws ParallaxError `cancelled`
 */
export async function unreachedBy(
  { index, runs }: Pick<RanDataset, 'index' | 'runs'>,
  k: number,
  { signal }: WorkOptions,
): Promise<Unreached> {
  const rankings = runs.flatMap(({ questions }) => [...questions.values()]);
  const reached = new Set<Slot>(rankings.flatMap((slots) => slots.slice(0, k)));
  const pace = new Pace({ signal });
  const documents = new Map<string, { id: string; passages: number; reached: number }>();
  const slots = index.slots();
  for (let from = 0; from < slots.length; from += PORTION) {
    for (const passage of index.passages(slots.slice(from, from + PORTION))) {
      const id = passage.documentId;
      const document = documents.get(id) ?? { id, passages: 0, reached: 0 };
      document.passages++;
      if (reached.has(passage.slot)) document.reached++;
      documents.set(id, document);
    }
    if (pace.due) await pace.rest();
  }
  return unreachedParts([...documents.values()]);
}
