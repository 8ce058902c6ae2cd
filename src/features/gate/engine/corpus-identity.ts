import { createHash } from 'node:crypto';
import type { BaselineDataset } from '../core/baseline.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { StoreState } from '../../../engine/corpora/store-corpus.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { QueryPages } from '../../web-corpus/engine/query-pages.ts';

/** Passages read at a time. */
const PORTION = 1_000;

/**
 * Identifies a corpus: the same for the same passages on every machine, in whatever order they were read, and for the
 * same pages of the same questions if it has separate pages per question.
 *
 * @throws ParallaxError `cancelled`
 */
export async function corpusIdentity(
  index: CorpusIndex,
  { signal }: WorkOptions,
): Promise<Omit<BaselineDataset['corpus'], 'name'>> {
  const state = await index.storeState({ signal });
  if (state) return storeIdentity(state);
  const pace = new Pace({ signal });
  const slots = index.slots();
  const lines: string[] = [];
  for (let from = 0; from < slots.length; from += PORTION) {
    const passages = index.passages(slots.slice(from, from + PORTION));
    for (const { id, hash } of passages) lines.push(`${id}\n${hash}\n`);
    if (pace.due) await pace.rest();
  }
  const passages = lines.length;
  const pages = await QueryPages.of(index);
  if (pages) lines.push(`${pages.identity}\n`);
  const digest = createHash('sha256');
  for (const line of lines.sort()) digest.update(line);
  return { fingerprint: digest.digest('hex').slice(0, 32), passages };
}

/** A store is not read as a whole, so its name, its size and a sample identify it. */
function storeIdentity({ passages, sample }: StoreState): Omit<BaselineDataset['corpus'], 'name'> {
  const digest = createHash('sha256').update(`${sample.store}\n${passages}`);
  return { fingerprint: digest.digest('hex').slice(0, 32), passages, sample };
}
