/** Formats numbers in the editor's language, for code that is independent of the editor. */
let language = 'en';

/** @param tag BCP 47 tag of the language of the surrounding texts */
export function writeNumbersIn(tag: string): void {
  language = tag;
}

export function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return new Intl.NumberFormat(language, options);
}

/**
 * The judged share, rounded down, so that a share slightly below a limit or 100% does not appear to reach it.
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
