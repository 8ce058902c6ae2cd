/**
 * Finds the corpus passage of a foreign result: by its id, by equal text, or by nearly equal text. Only then do
 * judgements of one apply to the other.
 */
import { fold, words as wordsOf } from '../text/words.ts';
import type { ExternalResult } from './spec.ts';

export type MatchKind = 'id' | 'text' | 'fuzzy';

/** The corpus, as matching needs it. `P` is a passage. */
export interface MatchCorpus<P> {
  /** By the passage's id, or the document's id if the document is a single passage. */
  byId(id: string): P | undefined;
  /** A few passages that share the most words with the text, for closer comparison. */
  similar(text: string): Promise<readonly P[]>;
  textOf(passage: P): string;
  /** Id of the document that a result names and that contains its text. `undefined` if there is none. */
  documentOf?(result: ExternalResult): Promise<string | undefined>;
}

export interface Match<P> {
  readonly passage: P;
  readonly kind: MatchKind;
}

/**
 * Texts that share this part of their word trigrams are the same passage, cut or cleaned differently. A chunk that
 * merely contains a passage is another one, as it may support more.
 */
export const SAME_TEXT = 0.8;

/** An id only counts if the text does not contradict it, as other systems number from 0 too. */
export async function matchResult<P>(
  { id, text }: ExternalResult,
  corpus: MatchCorpus<P>,
): Promise<Match<P> | undefined> {
  const named = id === undefined ? undefined : corpus.byId(id);
  if (named !== undefined && (text === undefined || isSameText(text, corpus.textOf(named))))
    return { passage: named, kind: 'id' };
  if (text === undefined) return undefined;
  const similar = await corpus.similar(text);
  const same = similar.find((passage) => corpus.textOf(passage) === text);
  if (same !== undefined) return { passage: same, kind: 'text' };
  const [best] = similar
    .map((passage) => ({ passage, similarity: textSimilarity(text, corpus.textOf(passage)) }))
    .filter(({ similarity }) => similarity >= SAME_TEXT)
    .sort((a, b) => b.similarity - a.similarity);
  return best && { passage: best.passage, kind: 'fuzzy' };
}

/** Whether two texts are one passage, cut or cleaned differently; see {@link SAME_TEXT}. */
export function isSameText(a: string, b: string): boolean {
  return a === b || textSimilarity(a, b) >= SAME_TEXT;
}

/** Jaccard index of the sets of word trigrams, ignoring case and punctuation. In [0, 1]. */
export function textSimilarity(a: string, b: string): number {
  const first = shingles(a);
  const second = shingles(b);
  if (first.size === 0) return a.trim() === b.trim() ? 1 : 0;
  return sharedPart(first, second);
}

/** Jaccard index of two sets, in [0, 1]. 0 if both are empty. */
export function sharedPart(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  let shared = 0;
  for (const part of first) if (second.has(part)) shared++;
  return shared === 0 ? 0 : shared / (first.size + second.size - shared);
}

const SHINGLE_WORDS = 3;

/** The word trigrams of a text. A shorter text is one shingle. */
export function shingles(text: string): Set<string> {
  const words = wordsOf(fold(text));
  if (words.length === 0) return new Set();
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1);
  return new Set(Array.from({ length: count }, (_, i) => words.slice(i, i + SHINGLE_WORDS).join(' ')));
}
