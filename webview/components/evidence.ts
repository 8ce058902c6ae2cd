/** Splits a passage's text at the borders of its evidence spans. Pure; offsets are UTF-16 code units. */

/** A span of evidence for the perspective at index `perspective` of the query. */
export interface EvidenceSpan {
  readonly perspective: number;
  readonly start: number;
  readonly end: number;
}

/** A piece of text that is evidence for the same perspectives throughout. */
export interface Segment {
  readonly text: string;
  /** Indexes of the perspectives whose evidence includes the piece, ascending; empty for plain text. */
  readonly perspectives: readonly number[];
  /** Those whose evidence ends with the piece, where their letters are shown. */
  readonly ending: readonly number[];
}

/**
 * Splits `text[window.start, window.end)` at every border of a span. Spans may overlap, touch, repeat and exceed the
 * text; empty ones are ignored. The texts of the pieces add up to the text of the window.
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

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
