/** A pseudo-language for tests: every text of the bundle in brackets, with accented letters, and 40% longer. */
import { readFileSync } from 'node:fs';
import type { PageLanguage } from '../panel-preview.ts';

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'åƀçđéƒğĥîĵķłɱñöþǫŕšţûṽŵẋýžÅƁÇĐÉƑĞĤÎĴĶŁṀÑÖÞǪŔŠŢÛṼŴẊÝŽ';
const ACCENTS = new Map([...PLAIN].map((sign, index) => [sign, [...ACCENTED][index]!]));

/** The share by which translations may be longer than English. */
const GROWTH = 0.4;

/** Derived from English; placeholders stay. */
export function pseudo(text: string): string {
  const accented = text.replace(/\{\w+\}|[a-z]/giu, (found) => ACCENTS.get(found) ?? found);
  const more = 'ö'.repeat(Math.ceil(text.length * GROWTH)).replace(/(?<=^(?:ö{6})+)ö/gu, ' ');
  return `⟦${accented} ${more}⟧`;
}

/** `en-XA` is ICU's name for English with accents: numbers and dates are English. */
export function pseudoLanguage(): PageLanguage {
  type Entry = string | { readonly message: string };
  const bundle = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8')) as Record<string, Entry>;
  const texts = Object.entries(bundle).map(([key, entry]) => [
    key,
    pseudo(typeof entry === 'string' ? entry : entry.message),
  ]);
  return { tag: 'en-XA', texts: Object.fromEntries(texts) as Record<string, string> };
}
