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

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
