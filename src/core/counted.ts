/** Numbers and plurals in the language of the process. Every process that is translated sets its language first. */
import * as l10n from '@vscode/l10n';

/** The order of plural forms in a sentence. A language uses only its own categories. */
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;

type Count = (sentence: string, ...values: readonly (number | string)[]) => string;

/** `en` in processes whose texts are not translated, such as the command line. */
let language = 'en';
let count = countIn(language);

/** @param tag BCP 47 tag of the language of the texts */
export function setLanguage(tag: string): void {
  language = tag;
  count = countIn(tag);
}

export function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return new Intl.NumberFormat(language, options);
}

/**
 * A sentence with a count: `counted(l10n.t('{0} [0:question|questions] of {1}'), 3, 'policies.jsonl')`.
 *
 * A bracket names the counted value and its forms: singular and plural in English, in a translation one for each of
 * {@link CATEGORIES} that the language has. If there are fewer, the last form is used for all others. The sentence is
 * passed translated but without its values, because the language determines the format of numbers. A form may contain
 * values, but no brackets.
 */
export const counted: Count = (sentence, ...values) => count(sentence, ...values);

/** Creates {@link counted} for a language; tests use others than that of the process. */
export function countIn(tag: string): Count {
  const rules = new Intl.PluralRules(tag);
  const numbers = new Intl.NumberFormat(tag);
  const known = rules.resolvedOptions().pluralCategories;
  const categories = CATEGORIES.filter((category) => known.includes(category));
  const formOf = (forms: readonly string[], value: number): string =>
    forms[categories.indexOf(rules.select(value))] ?? forms.at(-1)!;
  return (sentence, ...values) =>
    sentence
      .replace(/\[(\d+):([^[\]]*)\]/gu, (_, place: string, forms: string) =>
        formOf(forms.split('|'), Number(values[Number(place)])),
      )
      .replace(/\{(\d+)\}/gu, (unknown, place: string) => {
        const value = values[Number(place)] ?? unknown;
        return typeof value === 'number' ? numbers.format(value) : value;
      });
}

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** Counts with their nouns, for sentences that contain more than one. */
export const counts = {
  candidates: (n: number) => counted(l10n.t('{0} [0:candidate|candidates]'), n),
  documents: (n: number) => counted(l10n.t('{0} [0:document|documents]'), n),
  drafts: (n: number) => counted(l10n.t('{0} [0:draft|drafts]'), n),
  files: (n: number) => counted(l10n.t('{0} [0:file|files]'), n),
  labels: (n: number) => counted(l10n.t('{0} [0:label|labels]'), n),
  pages: (n: number) => counted(l10n.t('{0} [0:page|pages]'), n),
  pairs: (n: number) => counted(l10n.t('{0} [0:pair|pairs]'), n),
  passages: (n: number) => counted(l10n.t('{0} [0:passage|passages]'), n),
  perspectives: (n: number) => counted(l10n.t('{0} [0:perspective|perspectives]'), n),
  questions: (n: number) => counted(l10n.t('{0} [0:question|questions]'), n),
  requests: (n: number) => counted(l10n.t('{0} [0:request|requests]'), n),
  requestsIn: ({ least, most }: Range): string =>
    least === most ? counts.requests(most) : counted(l10n.t('{0} to {1} [1:request|requests]'), least, most),
  searches: (n: number) => counted(l10n.t('{0} [0:search|searches]'), n),
  tokensIn: ({ least, most }: Range): string =>
    least === most
      ? counted(l10n.t('{0} [0:token|tokens]'), most)
      : counted(l10n.t('{0} to {1} [1:token|tokens]'), least, most),
  spans: (n: number) => counted(l10n.t('{0} [0:span|spans]'), n),
};

/** @param value a share, in [0, 1] */
export function percent(value: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0 }).format(value);
}
