/** Whether regular expressions match anywhere in a text, from one edit to the next. */
import type { Change } from './parsing.ts';

/** Stands in an expression that a line break, or the ends of the text, may have to do with. */
const BEYOND_A_LINE = /\\(?:[sWDnrxc0BP]|u000|p\{(?!ID_))|\[\^|\^|\$/u;

export class TextTests {
  readonly text: string;
  private readonly known: Map<RegExp, boolean>;

  constructor(text: string, known = new Map<RegExp, boolean>()) {
    this.text = text;
    this.known = known;
  }

  /** @param pattern without `g` and `y` */
  test(pattern: RegExp): boolean {
    let found = this.known.get(pattern);
    if (found === undefined) this.known.set(pattern, (found = pattern.test(this.text)));
    return found;
  }

  /** The same for the text after a change: only the lines of the change are gone through where that is enough. */
  after(text: string, { start, oldEnd, newEnd }: Change): TextTests {
    const from = start === 0 ? 0 : this.text.lastIndexOf('\n', start - 1) + 1;
    const [was, is] = [lines(this.text, from, oldEnd), lines(text, from, newEnd)];
    const known = new Map<RegExp, boolean>();
    for (const [pattern, found] of this.known) {
      if (!isWithinALine(pattern)) continue;
      if (pattern.test(is)) known.set(pattern, true);
      // What matched elsewhere still does; where it may have been here, the text has to be gone through.
      else if (!found || !pattern.test(was)) known.set(pattern, found);
    }
    return new TextTests(text, known);
  }
}

function lines(text: string, from: number, to: number): string {
  const end = text.indexOf('\n', to);
  return text.slice(from, end < 0 ? text.length : end);
}

const within = new WeakMap<RegExp, boolean>();

function isWithinALine(pattern: RegExp): boolean {
  let is = within.get(pattern);
  if (is === undefined) {
    is = !pattern.dotAll && !BEYOND_A_LINE.test(pattern.source);
    within.set(pattern, is);
  }
  return is;
}
