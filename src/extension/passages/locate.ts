/**
 * Finds a passage in a text that may have changed since it was indexed. Pure.
 */
import type { Span } from '../../core/model.ts';

/**
 * @param text the document as the editor has it now
 * @param passage the passage's text and where it was when the corpus was indexed
 * @returns where it is now: at the same place, else at the nearest occurrence, else nowhere
 */
export function locatePassage(text: string, passage: { text: string; span: Span }): Span | undefined {
  const { start } = passage.span;
  if (text.startsWith(passage.text, start)) return { start, end: start + passage.text.length };
  const before = text.lastIndexOf(passage.text, start);
  const after = text.indexOf(passage.text, start);
  const found = nearest(start, before, after);
  return found === undefined ? undefined : { start: found, end: found + passage.text.length };
}

function nearest(from: number, before: number, after: number): number | undefined {
  if (before < 0) return after < 0 ? undefined : after;
  if (after < 0) return before;
  return from - before <= after - from ? before : after;
}
