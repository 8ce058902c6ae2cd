/**
 * Finds questions that were written with the words of the passage that answers them, so that any word search finds it.
 */
import { analyze } from '../../../core/text/analyzer.ts';
import { fold, words } from '../../../core/text/words.ts';

/** Words that form a question without describing its subject. */
const ASKING: ReadonlySet<string> = new Set([
  ...['how', 'what', 'when', 'where', 'which', 'who', 'whose', 'why'],
  ...['can', 'could', 'did', 'do', 'does', 'has', 'have', 'should', 'would'],
]);

/** Fewer terms are shared by chance. */
const MIN_TERMS = 4;
/** A passage repeats a question if it has at least this share of the question's terms, and … */
const SHARED = 0.8;
/** … no other passage found has more than this share (a long question shares more with its topic), or … */
const ELSEWHERE = { short: 0.5, long: 0.65, longFrom: 8 };

/** … it has this number of consecutive words of the question, and this share of all of them. */
const RUN = { words: 8, share: 0.6 };

export interface SharedWords {
  /** Terms of the question in the passage. */
  readonly shared: number;
  readonly terms: number;
}

/**
 * Whether a question has most of its words from one passage and from no other. Questions share their topic's words with
 * all passages on it, which is normal.
 *
 * @param otherPassages other passages that a search for the question's words finds
 */
export function sharedWords(
  question: string,
  passage: string,
  otherPassages: readonly string[],
): SharedWords | undefined {
  const contentWords = words(fold(question)).filter((word) => !ASKING.has(word));
  const terms = new Set(analyze(contentWords.join(' '), 'english'));
  if (terms.size < MIN_TERMS) return undefined;
  const shared = sharedWith(terms, passage);
  const elsewhere = Math.max(0, ...otherPassages.map((otherText) => sharedWith(terms, otherText)));
  const allowed = terms.size >= ELSEWHERE.longFrom ? ELSEWHERE.long : ELSEWHERE.short;
  const isAlone = shared >= SHARED * terms.size && elsewhere <= allowed * terms.size;
  return isAlone || isCopied(question, passage) ? { shared, terms: terms.size } : undefined;
}

function isCopied(question: string, passage: string): boolean {
  const all = words(fold(question));
  const text = ` ${words(fold(passage)).join(' ')} `;
  const least = Math.max(RUN.words, Math.ceil(RUN.share * all.length));
  for (let from = 0; from + least <= all.length; from++)
    if (text.includes(` ${all.slice(from, from + least).join(' ')} `)) return true;
  return false;
}

function sharedWith(terms: ReadonlySet<string>, text: string): number {
  const textTerms = new Set(analyze(text, 'english'));
  return [...terms].filter((term) => textTerms.has(term)).length;
}
