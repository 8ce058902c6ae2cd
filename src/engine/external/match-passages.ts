/** Converts a foreign retriever's results to passages, those of the corpus where they are recognised. */
import { throwIfCancelled } from '../../core/errors.ts';
import { matchResult, type MatchCorpus, type MatchKind } from '../../core/external/match.ts';
import type { ExternalResult } from '../../core/external/spec.ts';
import type { Hit, Slot, StoredPassage } from '../types.ts';
import type { ForeignPassages } from './foreign-passages.ts';
import type { ForeignPassage } from './kept-passage.ts';

/** The number of results that were recognised, by kind. `foreign` counts passages that are not in the corpus. */
export type MatchCounts = Readonly<Record<MatchKind | 'foreign', number>>;

export interface MatchedResults {
  /** Best first. A passage that was returned twice keeps its better rank. */
  readonly hits: readonly Hit[];
  readonly counts: MatchCounts;
  /** The store's ids of the records behind these passages. */
  readonly keys: ReadonlyMap<Slot, string>;
}

/**
 * A part of a document of the corpus is shown under that document, since labels and quotations of the document apply
 * to it.
 */
async function foreignPassage(
  result: ExternalResult,
  corpus: MatchCorpus<StoredPassage>,
): Promise<ForeignPassage> {
  const document = await corpus.documentOf?.(result);
  const about = document === undefined ? result.about : { ...result.about, document };
  return { ...result, name: result.id ?? '', about };
}

/**
 * A result without text whose id is not in the corpus becomes a foreign passage without text: it keeps its rank and
 * stays unjudged, since it cannot be read.
 */
export async function matchPassages(
  results: readonly ExternalResult[],
  corpus: MatchCorpus<StoredPassage>,
  foreign: ForeignPassages,
  signal: AbortSignal | undefined,
): Promise<MatchedResults> {
  const counts = { id: 0, text: 0, fuzzy: 0, foreign: 0 };
  const hits = new Map<Slot, Hit>();
  const keys = new Map<Slot, string>();
  for (const result of results) {
    throwIfCancelled(signal);
    const match = await matchResult(result, corpus);
    counts[match?.kind ?? 'foreign']++;
    const item = match?.passage.slot ?? foreign.add(await foreignPassage(result, corpus));
    if (hits.has(item)) continue;
    hits.set(item, { item, score: result.score });
    if (result.key !== undefined) keys.set(item, result.key);
  }
  return { hits: [...hits.values()], counts, keys };
}
