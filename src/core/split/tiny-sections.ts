/** Joins sections that are too small to be useful passages. */
import type { Span } from '../model.ts';
import { pathDepth, type Section } from './headings.ts';
import { hasAtMostWords } from './words.ts';

/** Share of the passage size: with 120 words, a heading and one short line. */
const TINY = 1 / 8;

/**
 * The sections, with tiny ones joined to the next section, or to the preceding one if the next belongs to another
 * branch or does not exist.
 *
 * @param size words of a passage
 */
export function joinTiny(text: string, sections: readonly Section[], size: number): Span[] {
  const joined: { readonly start: number; end: number; waits: boolean }[] = [];
  for (const [place, { start, end, path }] of sections.entries()) {
    const last = joined.at(-1);
    const isTiny = hasAtMostWords(text.slice(last?.waits ? last.start : start, end), size * TINY);
    const next = sections[place + 1];
    const goesOn = next !== undefined && pathDepth(next.path) >= pathDepth(path);
    if (last && (last.waits || (isTiny && !goesOn))) {
      last.end = end;
      last.waits = isTiny && goesOn;
    } else joined.push({ start, end, waits: isTiny && goesOn });
  }
  return joined;
}
