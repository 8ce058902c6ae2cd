/** Evidence spans over a passage's text, cut into pieces that can be shown. Pure; offsets are UTF-16 code units. */

/** A span of evidence for the perspective at `perspective` in the query's order. */
export interface EvidenceSpan {
  readonly perspective: number;
  readonly start: number;
  readonly end: number;
}

/** A stretch of text that is evidence for the same perspectives throughout. */
export interface Segment {
  readonly text: string;
  /** Perspectives whose evidence covers the stretch, ascending; empty for plain text. */
  readonly perspectives: readonly number[];
  /** Those of them whose evidence ends with the stretch: their letters stand here. */
  readonly ending: readonly number[];
}

/** A window on a passage, with what was cut off. */
export interface Excerpt {
  readonly start: number;
  readonly end: number;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/**
 * Cuts `text[window.start, window.end)` at every border of a span. Spans may overlap, touch, repeat and reach
 * beyond the text; empty ones are left out. The pieces' texts joined are the window's text.
 */
export function segments(
  text: string,
  spans: readonly EvidenceSpan[],
  window: { readonly start: number; readonly end: number } = { start: 0, end: text.length },
): Segment[] {
  const inside = spans
    .map((span) => ({
      ...span,
      start: Math.max(span.start, window.start),
      end: Math.min(span.end, window.end),
    }))
    .filter((span) => span.start < span.end);
  const borders = inside.flatMap((span) => [span.start, span.end]);
  const cuts = [...new Set([window.start, ...borders, window.end])].sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => {
    const start = cuts[index]!;
    const covering = inside.filter((span) => span.start <= start && span.end >= end);
    const perspectives = ascending(covering.map((span) => span.perspective));
    const goesOn = (perspective: number): boolean =>
      inside.some((span) => span.perspective === perspective && span.start <= end && span.end > end);
    return { text: text.slice(start, end), perspectives, ending: perspectives.filter((one) => !goesOn(one)) };
  });
}

/**
 * The part of a passage to show while it is folded: about `length` code units, from the beginning, or from a
 * little before the first evidence when that would else not stand in the first lines. Words are not cut.
 */
export function excerpt(text: string, spans: readonly EvidenceSpan[], length = 280): Excerpt {
  const first = Math.min(...spans.map((span) => span.start));
  const near = spans.length === 0 || first <= NEAR;
  const start = near ? 0 : wordStart(text, first - LEAD);
  const end = wordEnd(text, start + length);
  return { start, end, cutBefore: start > 0, cutAfter: end < text.length };
}

/** Evidence that begins up to here is seen in the narrowest panel without leaving out the passage's beginning. */
const NEAR = 80;
/** How much of the text before the first evidence is kept, for context. */
const LEAD = 40;
/** Text without spaces (URLs, Chinese) is cut anyway, this far from the wanted place. */
const LONGEST_WORD = 40;

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function wordStart(text: string, from: number): number {
  for (let at = from; at < Math.min(from + LONGEST_WORD, text.length); at++)
    if (at === 0 || isSpace(text[at - 1]!)) return at;
  return wholeCharacter(text, from);
}

function wordEnd(text: string, from: number): number {
  if (from >= text.length) return text.length;
  for (let at = from; at > Math.max(from - LONGEST_WORD, 0); at--) if (isSpace(text[at]!)) return at;
  return wholeCharacter(text, from);
}

function isSpace(character: string): boolean {
  return /\s/u.test(character);
}

/** Moves an offset out of the middle of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
