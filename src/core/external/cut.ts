/** Whether a foreign passage is cut from a document of the corpus: it says so, and its text is found there. */
import { fold, words } from '../text/words.ts';
import { SAME_TEXT, shingles } from './match.ts';
import type { ExternalResult } from './spec.ts';

/** What a result says that it comes from, the surest first: the source of its metadata, its id. */
export function namesOfSource({ id, about }: Pick<ExternalResult, 'id' | 'about'>): string[] {
  const fields = about?.fields ?? {};
  const named = [about?.source, fields['source'], fields['path'], fields['file_path'], fields['url'], id];
  return [...new Set(named.flatMap((name) => (name === undefined ? [] : [plainName(name)])))].filter(
    (name) => name !== '',
  );
}

/** Whether a name is that of a document: the same path, or one of them the end of the other. */
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

/** Whether a text is found in a document: its words in their order, or at least {@link SAME_TEXT} of its word trigrams. */
export function isCutOf(text: string, document: string): boolean {
  const cut = words(fold(text));
  if (cut.length === 0) return false;
  if (` ${words(fold(document)).join(' ')} `.includes(` ${cut.join(' ')} `)) return true;
  const [own, all] = [shingles(text), shingles(document)];
  let shared = 0;
  for (const shingle of own) if (all.has(shingle)) shared++;
  return shared / own.size >= SAME_TEXT;
}
