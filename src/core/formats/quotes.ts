/** Finds a quote in a text after lines were rewrapped or blanks changed. */
import type { Span } from '../model.ts';

/** The shortest part of a quote at a passage border. Shorter ones would match by chance. */
const MIN_REST = 8;

/** A text without its blanks, and the original offset of each remaining UTF-16 code unit. */
export interface Squeezed {
  readonly text: string;
  readonly offsets: Uint32Array;
}

export function squeeze(text: string): Squeezed {
  const offsets = new Uint32Array(text.length);
  const runs: string[] = [];
  let length = 0;
  for (const { 0: run, index } of text.matchAll(/\S+/g)) {
    for (let at = 0; at < run.length; at++) offsets[length++] = index + at;
    runs.push(run);
  }
  return { text: runs.join(''), offsets: offsets.subarray(0, length) };
}

/**
 * Locates a quote in a passage: all of it, or more than half of it if the quote crosses the passage's beginning or end
 * (or both). Ignores blanks only.
 *
 * @returns the first such span in the passage's text, in UTF-16 code units, or `undefined`
 */
export function locateQuote(passage: Squeezed, quote: Squeezed): Span | undefined {
  if (quote.text === '') return undefined;
  const whole = passage.text.indexOf(quote.text);
  if (whole >= 0) return spanOf(passage, whole, quote.text.length);
  const needed = Math.max(Math.floor(quote.text.length / 2) + 1, MIN_REST);
  const begun = beginningOfQuote(passage.text, quote.text, needed);
  return begun === undefined ? restOfQuote(passage, quote.text, needed) : spanOf(passage, begun, Infinity);
}

/** The offset in the passage of a quote that continues after the passage's end. */
function beginningOfQuote(passage: string, quote: string, needed: number): number | undefined {
  const head = quote.slice(0, needed);
  for (let at = passage.indexOf(head); at >= 0; at = passage.indexOf(head, at + 1))
    if (quote.startsWith(passage.slice(at))) return at;
  return undefined;
}

/** The span at the beginning of the passage that continues (and may not end) a quote. */
function restOfQuote(passage: Squeezed, quote: string, needed: number): Span | undefined {
  const head = passage.text.slice(0, needed);
  if (head.length < needed) return undefined;
  for (let at = quote.indexOf(head); at >= 0; at = quote.indexOf(head, at + 1)) {
    const length = Math.min(quote.length - at, passage.text.length);
    if (passage.text.startsWith(quote.slice(at, at + length))) return spanOf(passage, 0, length);
  }
  return undefined;
}

function spanOf({ offsets }: Squeezed, at: number, length: number): Span {
  const last = Math.min(at + length, offsets.length) - 1;
  return { start: offsets[at]!, end: offsets[last]! + 1 };
}
