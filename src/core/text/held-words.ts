/** Whether a text says something word for word, however it is punctuated. */
import { fold, words } from './words.ts';

/** Articles say nothing, and one writer leaves them out where another does not. */
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

/**
 * Whether the words of one text stand in another in their order, with nothing between them. Case, accents of Latin
 * letters, punctuation and English articles do not matter.
 *
 * @param wanted a text without words stands nowhere
 */
export function holdsWords(text: string, wanted: string): boolean {
  const part = words(fold(wanted));
  const telling = withoutArticles(part);
  const all = words(fold(text));
  // The words may be an article, such as the choice "A".
  return telling.length > 0 ? stands(telling, withoutArticles(all)) : part.length > 0 && stands(part, all);
}

/** Whether there is anything in a text to look for. */
export function hasWords(text: string): boolean {
  return words(fold(text)).length > 0;
}

const withoutArticles = (all: readonly string[]): string[] => all.filter((word) => !ARTICLES.has(word));

/** With a space before and after each word no part of one is found. */
function stands(part: readonly string[], all: readonly string[]): boolean {
  return ` ${all.join(' ')} `.includes(` ${part.join(' ')} `);
}
