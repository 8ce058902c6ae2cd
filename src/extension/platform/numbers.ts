/** How the editor's language writes numbers, for code that does not know the editor. */
let language = 'en';

/** @param tag of BCP 47: the language that the texts around the numbers are in */
export function writeNumbersIn(tag: string): void {
  language = tag;
}

/** A format in that language. */
export function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return new Intl.NumberFormat(language, options);
}

/** @param value a share, in [0, 1] */
export function percent(value: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0 }).format(value);
}
