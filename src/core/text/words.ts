/**
 * Folds text and splits it into words, for any script. Depends only on the runtime's Unicode tables rather than on a
 * locale or a dictionary, so that an index is valid on other machines.
 */
import { withoutTrailing } from './trim.ts';

const NOT_ASCII = /[^\0-\x7f]/;
/** Invisible in print: soft hyphen, joiners, variation selectors, byte order mark. */
const IGNORABLE = /[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]/g;
/** Accents on Latin letters. Marks of other scripts distinguish words (Cyrillic й, Japanese が). */
const LATIN_ACCENT = /(?<=\p{Script=Latin})\p{Mn}+/gu;
const APOSTROPHES = /[\u2018\u2019\u02bc]/g;

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:'[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu;
/** Scripts that are written without spaces between words. */
const UNSPACED = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map(
    (script) => `\\p{scx=${script}}`,
  ),
].join('');
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const UNSPACED_OR_OTHER = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
/** A letter with its marks. */
const CLUSTER = /\P{M}\p{M}*|\p{M}+/gu;
const LEADING_APOSTROPHES = /^'+/;

/**
 * The form in which words are compared: lower case, compatibility forms simplified (ﬁ → fi, Ａ → a, ² → 2), accents
 * removed from Latin letters (café → cafe), one kind of apostrophe.
 */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return text
    .replace(IGNORABLE, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(LATIN_ACCENT, '')
    .replace(APOSTROPHES, "'")
    .normalize('NFC');
}

/**
 * The words of a folded text in order, with repeats.
 *
 * A word is a run of letters, digits and their marks, including apostrophes between two of them (don't, o'neil).
 * Everything else separates: hyphens, underscores, full stops and commas, also in numbers (3.14 → 3, 14), and symbols
 * such as emoji. Runs of a script without spaces become overlapping pairs of letters (東京都 → 東京, 京都), or a single
 * letter.
 */
export function words(folded: string): string[] {
  const runs = folded.match(WORD) ?? [];
  return HAS_UNSPACED.test(folded) ? runs.flatMap(splitUnspaced) : runs;
}

function splitUnspaced(run: string): string[] {
  if (!HAS_UNSPACED.test(run)) return [run];
  return (run.match(UNSPACED_OR_OTHER) ?? []).flatMap((part) => {
    if (HAS_UNSPACED.test(part)) return letterPairs(part);
    const open = part.replace(LEADING_APOSTROPHES, '');
    const word = open.endsWith("'") ? withoutTrailing(open, /'/) : open;
    return word === '' ? [] : [word];
  });
}

function letterPairs(run: string): string[] {
  const letters = run.match(CLUSTER) ?? [];
  if (letters.length <= 1) return letters;
  return letters.slice(1).map((letter, i) => letters[i]! + letter);
}

/** Articles carry no meaning and are often left out. */
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

/**
 * Whether a text contains the words of another one in order, without other words between them. Ignores case, accents of
 * Latin letters, punctuation and English articles.
 *
 * @param phrase without words the result is false
 */
export function holdsWords(text: string, phrase: string): boolean {
  const part = words(fold(phrase));
  const telling = withoutArticles(part);
  const all = words(fold(text));
  // The words may be an article, such as the choice "A".
  return telling.length > 0 ? stands(telling, withoutArticles(all)) : part.length > 0 && stands(part, all);
}

export function hasWords(text: string): boolean {
  return words(fold(text)).length > 0;
}

const withoutArticles = (all: readonly string[]): string[] => all.filter((word) => !ARTICLES.has(word));

/** Spaces around each word prevent matches of partial words. */
function stands(part: readonly string[], all: readonly string[]): boolean {
  return ` ${all.join(' ')} `.includes(` ${part.join(' ')} `);
}
