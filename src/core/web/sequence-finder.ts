/** Looks for a text within another one in linear time, whatever both are (Knuth, Morris, Pratt 1977). */

/** Where the first occurrence ends that begins at `from` or later. */
export type Finder = (text: string, from: number) => number | undefined;

/** @param wanted at least one character */
export function sequenceFinder(wanted: string): Finder {
  const fallback = fallbackOf(wanted);
  return (text, from) => {
    let matched = 0;
    for (let at = from; at < text.length; at++) {
      while (matched > 0 && text[at] !== wanted[matched]) matched = fallback[matched - 1]!;
      if (text[at] === wanted[matched]) matched++;
      if (matched === wanted.length) return at + 1;
    }
    return undefined;
  };
}

/** For each beginning of a text, how long the longest shorter one is with which it ends as well. */
function fallbackOf(wanted: string): Uint32Array {
  const fallback = new Uint32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (length > 0 && wanted[at] !== wanted[length]) length = fallback[length - 1]!;
    if (wanted[at] === wanted[length]) length++;
    fallback[at] = length;
  }
  return fallback;
}
