/** A corpus for building eval sets: passages to draw from, and search results for a text. */
import { isNearDuplicate } from '../core/label-set.ts';
import { BUILT_IN_PIPELINES } from '../../../core/pipeline.ts';
import { drawn } from '../../review/core/draw.ts';
import type { Random } from '../../../core/statistics/random.ts';
import { words } from '../../../core/text/words.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { mostDiverseFirst } from '../../../engine/likeness/most-diverse-first.ts';
import type { PipelineServices } from '../../../engine/retrieval/pipeline-services.ts';
import type { Slot, StoredPassage, WorkOptions } from '../../../engine/types.ts';

export interface CorpusPassages {
  slots(): readonly Slot[];
  passages(slots: readonly Slot[]): readonly StoredPassage[];
  /** Hybrid search, by words and vectors, best first. */
  find(text: string, depth: number, work: WorkOptions): Promise<readonly StoredPassage[]>;
  /** The same passages, with the most different ones first. */
  findDiverse(text: string, depth: number, work: WorkOptions): Promise<readonly StoredPassage[]>;
}

/** A longer query finds nothing better, and takes longer. */
const QUERY_WORDS = 64;

export function corpusPassages(index: CorpusIndex, services: PipelineServices): CorpusPassages {
  const slotsFor = async (text: string, depth: number, work: WorkOptions): Promise<Slot[]> => {
    const query = { text: text.split(/\s+/u, QUERY_WORDS).join(' '), perspectives: [] };
    const { hits } = await index.search(BUILT_IN_PIPELINES.hybrid, query, depth, services, work);
    return hits.map(({ item }) => item);
  };
  return {
    slots: () => index.slots(),
    passages: (slots) => index.passages(slots),
    find: async (text, depth, work) => index.passages(await slotsFor(text, depth, work)),
    findDiverse: async (text, depth, work) =>
      mostDiverseFirst(index, await slotsFor(text, depth, work), work),
  };
}

/** Two passages that may disagree. */
export type PassagePair = readonly [first: StoredPassage, second: StoredPassage];

/** Shorter passages, such as headings, make no statement. */
const MIN_WORDS = 12;
/** Passages to find for a drawn one. Some of them have the same text. */
const FOUND = 8;
/** How many of those are paired with it. */
const NEIGHBOURS = 3;

/**
 * Pairs of passages about the same thing: randomly drawn passages, each with passages found for its text. No pair
 * comes twice, and no passage is paired with nearly the same text.
 */
export async function* passagePairs(
  corpus: CorpusPassages,
  random: Random,
  work: WorkOptions,
): AsyncGenerator<PassagePair> {
  const slots = corpus.slots();
  const keys = new Set<string>();
  for (const slot of drawn(slots, slots.length, random)) {
    const [passage] = corpus.passages([slot]);
    if (!passage || !isLongEnough(passage)) continue;
    const neighbours = await corpus.find(passage.text, FOUND, work);
    const partners = neighbours.filter(
      (candidate) => isLongEnough(candidate) && !isNearDuplicate(candidate.text, [passage]),
    );
    for (const partner of partners.slice(0, NEIGHBOURS)) {
      const key = [passage.hash, partner.hash].sort().join(' ');
      if (keys.has(key)) continue;
      keys.add(key);
      yield [passage, partner];
    }
  }
}

function isLongEnough({ text }: StoredPassage): boolean {
  return words(text).length >= MIN_WORDS;
}
