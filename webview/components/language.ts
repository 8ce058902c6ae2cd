/** The language of the page: numbers, plurals and lists. */

/** Set on the page by src/extension/platform/webview-html.ts; tests have no page. */
export const LANGUAGE = typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';

const items = new Intl.ListFormat(LANGUAGE, { type: 'unit', style: 'short' });

/** The order of plural forms in a sentence. A language uses only its own categories. */
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;

type Count = (sentence: string, ...values: readonly (number | string)[]) => string;

/**
 * A sentence with a count: `counted(l10n.t('{0} [0:query|queries] of {1}'), 3, 'policies.jsonl')`.
 *
 * A bracket names the counted value and its forms: singular and plural in English, in a translation one for each of
 * {@link CATEGORIES} that the language has. If there are fewer, the last form is used for all others. The sentence is
 * passed translated but without its values, because the language determines the format of numbers.
 */
export const counted = countIn(LANGUAGE);

/** Creates {@link counted} for a language; tests use others than the page's. */
export function countIn(language: string): Count {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  const known = rules.resolvedOptions().pluralCategories;
  const categories = CATEGORIES.filter((category) => known.includes(category));
  const formOf = (forms: readonly string[], count: number): string =>
    forms[categories.indexOf(rules.select(count))] ?? forms.at(-1)!;
  return (sentence, ...values) =>
    sentence
      .replace(/\[(\d+):([^[\]]*)\]/gu, (_, place: string, forms: string) =>
        formOf(forms.split('|'), Number(values[Number(place)])),
      )
      .replace(/\{(\d+)\}/gu, (found, place: string) => {
        const value = values[Number(place)] ?? found;
        return typeof value === 'number' ? numbers.format(value) : value;
      });
}

/** `a, b, c` */
export function listed(names: readonly string[]): string {
  return items.format(names);
}
