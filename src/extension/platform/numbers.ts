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

/**
 * How much is judged, rounded down: neither enough nor all is said of what is a little less.
 *
 * @param value a share, in [0, 1]
 */
export function judgedPercent(value: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' }).format(value);
}

/** @param value a share, in [0, 1] */
export function percent(value: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0 }).format(value);
}
