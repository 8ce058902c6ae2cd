/** Whether a text contains another text's words, ignoring punctuation. */
import { fold, words } from './words.ts';

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
