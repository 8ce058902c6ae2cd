/** Names in code, which questions in prose call by their parts. */

/** Whether a text may have a name with parts. ASCII, as an indexer scans every passage with it. */
const HAS_PARTS = /[a-z][A-Z]|[A-Z][A-Z][a-z][a-z]|[A-Za-z\d]_+[A-Za-z\d]/;
const NAME = /[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)*/gu;
/** Before a capital in `fooBar`, and before the last capital in `HTTPServer`, but not in a plural such as `PDFs`. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;
/** Longer names are encoded data. */
const LONGEST_NAME = 64;

/**
 * The text, followed by the parts of its names and by names without their underscores: `fooBar` is found as `foo`,
 * `bar` and `foobar`, and so is `foo_bar`.
 */
export function withPartsOfNames(text: string): string {
  if (!HAS_PARTS.test(text)) return text;
  const parts = [...text.matchAll(NAME)].flatMap(([name]) =>
    name.length > LONGEST_NAME ? [] : partsOf(name),
  );
  return [text, ...parts].join(' ');
}

/** The text with the parts of its names instead of the names: `fooBar` becomes `foo Bar`. */
export function withNamesSplit(text: string): string {
  return text.replace(NAME, (name) =>
    name
      .split('_')
      .flatMap((word) => word.split(HUMP))
      .join(' '),
  );
}

/** What {@link NAME} adds to the words between underscores. */
function partsOf(name: string): string[] {
  const words = name.split('_');
  const humps = words.map((word) => word.split(HUMP)).filter(({ length }) => length > 1);
  return [...humps.flat(), ...(words.length > 1 ? [words.join('')] : [])];
}
