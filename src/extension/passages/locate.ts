/**
 * Finds a passage in a text that may have changed since it was indexed. Pure.
 */
import type { Span } from '../../core/model.ts';

/**
 * @param text the current text of the document
 * @param passage the text and place of the passage when the corpus was indexed
 * @returns its place now: the same place, else the nearest occurrence, else `undefined`
 */
export function locatePassage(text: string, passage: { text: string; span: Span }): Span | undefined {
  const { start } = passage.span;
  if (text.startsWith(passage.text, start)) return { start, end: start + passage.text.length };
  const before = text.lastIndexOf(passage.text, start);
  const after = text.indexOf(passage.text, start);
  const place = nearest(start, before, after);
  return place === undefined ? undefined : { start: place, end: place + passage.text.length };
}

function nearest(from: number, before: number, after: number): number | undefined {
  if (before < 0) return after < 0 ? undefined : after;
  if (after < 0) return before;
  return from - before <= after - from ? before : after;
}
