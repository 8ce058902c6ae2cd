import { createHash } from 'node:crypto';
import { storeLabel, type StoreRetriever } from '../../core/external/stores.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import { Pace } from '../concurrency/pace.ts';
import type { WorkOptions } from '../types.ts';
import { OwnPages } from '../web/own-pages.ts';

/** So many passages are read at a time. */
const PORTION = 1_000;

/**
 * Identifies a corpus: the same for the same passages on every machine, in whatever order they were read, and
 * for the same pages of the same questions where it keeps them apart.
 *
 * @throws ParallaxError `cancelled`
 */
export async function corpusIdentity(
  index: CorpusIndex,
  { signal }: WorkOptions,
): Promise<{ readonly fingerprint: string; readonly passages: number }> {
  const { store } = index.ref.config;
  if (store) return storeIdentity(index.status.passages, store);
  const pace = new Pace({ signal });
  const slots = index.slots();
  const lines: string[] = [];
  for (let from = 0; from < slots.length; from += PORTION) {
    const passages = index.passages(slots.slice(from, from + PORTION));
    for (const { id, hash } of passages) lines.push(`${id}\n${hash}\n`);
    if (pace.due) await pace.rest();
  }
  const passages = lines.length;
  const pages = await OwnPages.of(index);
  if (pages) lines.push(`${pages.identity}\n`);
  const digest = createHash('sha256');
  for (const line of lines.sort()) digest.update(line);
  return { fingerprint: digest.digest('hex').slice(0, 32), passages };
}

/** Nobody reads a store as a whole: its name and its size have to do. */
function storeIdentity(
  passages: number,
  store: StoreRetriever,
): { readonly fingerprint: string; readonly passages: number } {
  const digest = createHash('sha256').update(`${storeLabel(store)}\n${passages}`);
  return { fingerprint: digest.digest('hex').slice(0, 32), passages };
}
