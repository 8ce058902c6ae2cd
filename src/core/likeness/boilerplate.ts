/** Removes lines that many documents repeat, and sample code. */

/** A line in at least this many documents is boilerplate. */
const MIN_DOCUMENTS = 3;
/** "- **Status:** accepted" counts as the same line for any status. */
const LABEL = /^(?:[-*+•]\s+)?(?:\*\*|__)?([\p{L}][\p{L}\p{N} _-]{1,30}?)(?:\*\*|__)?:(?:\*\*|__)?\s/u;
const FENCE = /^\s*(?:```|~~~)/u;
/** Lines of sample code, even in a passage that begins after the fence. */
const CODE = /[{};]\s*$|^\s*[})\]]|\)\s*(?:->|=>)|^(?: {4}|\t)\S/u;

/**
 * The texts without boilerplate and sample code, to name themes by.
 *
 * @param passages in any order, with the `document` of each
 * @returns a text for each passage, empty if nothing remains
 */
export function withoutBoilerplate(
  passages: readonly { readonly document: string; readonly text: string }[],
): string[] {
  const lines = passages.map(({ text }) => proseOf(text));
  const documents = new Map<string, Set<string>>();
  for (const [place, passageLines] of lines.entries())
    for (const line of passageLines) {
      const key = keyOf(line);
      const having = documents.get(key) ?? new Set();
      documents.set(key, having.add(passages[place]!.document));
    }
  return lines.map((passageLines) =>
    passageLines.filter((line) => documents.get(keyOf(line))!.size < MIN_DOCUMENTS).join('\n'),
  );
}

function proseOf(text: string): string[] {
  let isFenced = false;
  return text.split('\n').filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isFenced = !isFenced;
    return !isFence && !isFenced && !CODE.test(line) && line.trim() !== '';
  });
}

function keyOf(line: string): string {
  const label = LABEL.exec(line.trim())?.[1];
  return label === undefined ? line.trim().toLowerCase() : `${label.toLowerCase()}:`;
}
