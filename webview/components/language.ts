/** The language of the page: how it writes numbers, counts things and joins names. */

/** What the texts of the page are written in (src/extension/platform/webview-html.ts); tests have no page. */
export const LANGUAGE = typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';

const rules = new Intl.PluralRules(LANGUAGE);
const items = new Intl.ListFormat(LANGUAGE, { type: 'unit', style: 'short' });

/**
 * The one of two sentences that fits a number, as the language of the page counts. Bundles know these two forms only:
 * languages with more of them put the most general one in the place of the other.
 */
export function plural(n: number, one: string, other: string): string {
  return rules.select(n) === 'one' ? one : other;
}

/** `a, b, c` */
export function listed(names: readonly string[]): string {
  return items.format(names);
}
