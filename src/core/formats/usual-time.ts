/** Times as the product writes them, read without a date function: a million of them stand in a labels file. */
/** No day that some months lack, and no year that a date function takes for another. */
const USUAL_TIME =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/u;
const ZERO = 48;

/** @returns milliseconds of a time as the product writes it; `undefined` for one that a date function has to read */
export function usualTime(at: string): number | undefined {
  if (!USUAL_TIME.test(at)) return undefined;
  const [hours, minutes, seconds] = [twoDigits(at, 11), twoDigits(at, 14), twoDigits(at, 17)];
  const milliseconds = 10 * twoDigits(at, 20) + at.charCodeAt(22) - ZERO;
  const year = 100 * twoDigits(at, 0) + twoDigits(at, 2);
  return Date.UTC(year, twoDigits(at, 5) - 1, twoDigits(at, 8), hours, minutes, seconds, milliseconds);
}

function twoDigits(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - ZERO) + text.charCodeAt(at + 1) - ZERO;
}
