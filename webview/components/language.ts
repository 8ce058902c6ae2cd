/** The language of the page: how it writes numbers, counts things and joins names. */

/** Set on the page by src/extension/platform/webview-html.ts; tests have no page. */
export const LANGUAGE = typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';

const items = new Intl.ListFormat(LANGUAGE, { type: 'unit', style: 'short' });

/** In this order a sentence has the forms of those categories of numbers that its language knows. */
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;

type Count = (sentence: string, ...values: readonly (number | string)[]) => string;

/**
 * A sentence that counts something: `counted(l10n.t('{0} [0:query|queries] of {1}'), 3, 'policies.jsonl')`.
 *
 * A bracket names the value that is counted and the forms that stand there: in English for one and for several, in a
 * translation for each of {@link CATEGORIES} that the language has. Where there are fewer, the last is for all others.
 * The sentence is given as it was translated, without its values: numbers are written as the language writes them.
 */
export const counted = countIn(LANGUAGE);

/** Makes {@link counted} for a given language; tests use others than the page's. */
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
