/**
 * Lines of a text, as an editor counts them: ended by `\n`, `\r\n` or a lone `\r`.
 */
import type { LineRange, Span } from '../model.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const LINE_BREAK = /[\n\r]/;

/** One line without its line break: `[start, end)`. `next` is the beginning of the following line. */
export interface Line extends Span {
  readonly next: number;
}

/** The lines of a text, first to last. A text that ends in a line break has an empty last line. */
export function* linesOf(text: string): Generator<Line> {
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
    const end = at;
    if (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED) at++;
    yield { start, end, next: at + 1 };
    start = at + 1;
  }
  yield { start, end: text.length, next: text.length };
}

/** Finds the line of an offset in O(log lines), after one pass over the text. */
export class LineIndex {
  /** The offset of each line, ascending. */
  readonly #starts: Uint32Array;

  constructor(text: string) {
    if (!LINE_BREAK.test(text)) {
      this.#starts = Uint32Array.of(0);
      return;
    }
    const starts: number[] = [];
    for (const line of linesOf(text)) starts.push(line.start);
    this.#starts = Uint32Array.from(starts);
  }

  /** The line, from 0, of the character at `offset`. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The lines of the first and the last character of a span that is not empty. */
  linesOf(span: Span): LineRange {
    return { startLine: this.lineAt(span.start), endLine: this.lineAt(span.end - 1) };
  }
}
