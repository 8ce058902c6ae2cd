/** Trims spans, and moves windows over sequences of spans. */
import type { Span } from '../model.ts';

const WHITESPACE = /\s/;

function isWhitespace(text: string, at: number): boolean {
  return WHITESPACE.test(text.charAt(at));
}

/** The span without surrounding whitespace. `undefined` if nothing remains. */
export function trimSpan(text: string, span: Span): Span | undefined {
  let { start, end } = span;
  while (start < end && isWhitespace(text, start)) start++;
  while (end > start && isWhitespace(text, end - 1)) end--;
  return start < end ? { start, end } : undefined;
}

/**
 * Windows of `size` units that advance by `size − overlap`, each spanning from its first unit to its last. The last
 * window may be shorter, and contains at least one new unit.
 *
 * @param units ascending spans
 * @param overlap 0 ≤ overlap < size
 */
export function* windows(units: Iterable<Span>, size: number, overlap: number): Generator<Span> {
  let window: Span[] = [];
  let holdsNewUnit = false;
  for (const unit of units) {
    window.push(unit);
    holdsNewUnit = true;
    if (window.length < size) continue;
    yield spanOf(window);
    window = overlap > 0 ? window.slice(-overlap) : [];
    holdsNewUnit = false;
  }
  if (holdsNewUnit) yield spanOf(window);
}

function spanOf(units: readonly Span[]): Span {
  return { start: units[0]!.start, end: units.at(-1)!.end };
}
