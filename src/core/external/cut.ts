/** Whether a foreign passage is cut from a document of the corpus: it names the document, and its text is in it. */
import { fold, words } from '../text/words.ts';
import { SAME_TEXT, shingles } from './match.ts';
import type { ExternalResult } from './spec.ts';

/** The sources that a result names, most reliable first: the source in its metadata, then its id. */
export function namesOfSource({ id, about }: Pick<ExternalResult, 'id' | 'about'>): string[] {
  const fields = about?.fields ?? {};
  const named = [about?.source, fields['source'], fields['path'], fields['file_path'], fields['url'], id];
  return [...new Set(named.flatMap((name) => (name === undefined ? [] : [plainName(name)])))].filter(
    (name) => name !== '',
  );
}

/** Whether a name denotes a document: the paths are equal, or one ends with the other. */
export function namesDocument(name: string, documentId: string): boolean {
  const document = plainName(documentId);
  return name === document || name.endsWith(`/${document}`) || document.endsWith(`/${name}`);
}

function plainName(name: string): string {
  const [place = ''] = name.split('#', 1);
  return place
    .replace(/^file:\/\//u, '')
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/)+/u, '');
}

/** Fewer words may be in several documents by chance. */
const MIN_WORDS = 8;

/** Whether a document holds a text that is long enough to tell by itself where it is from: its words, in order. */
export function holdsLongText(document: string, text: string): boolean {
  // Cuts at characters leave parts of words at the ends.
  const inner = words(fold(text)).slice(1, -1);
  return inner.length >= MIN_WORDS && holds(document, inner);
}

function holds(document: string, inOrder: readonly string[]): boolean {
  return ` ${words(fold(document)).join(' ')} `.includes(` ${inOrder.join(' ')} `);
}

/** Whether a document contains a text: its words in order, or at least {@link SAME_TEXT} of its word trigrams. */
export function isCutOf(text: string, document: string): boolean {
  const cut = words(fold(text));
  if (cut.length === 0) return false;
  if (holds(document, cut)) return true;
  const [cutShingles, all] = [shingles(text), shingles(document)];
  let shared = 0;
  for (const shingle of cutShingles) if (all.has(shingle)) shared++;
  return shared / cutShingles.size >= SAME_TEXT;
}
