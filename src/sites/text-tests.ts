/** Whether regular expressions match anywhere in a text, from one edit to the next. */
import type { Change } from './parsing.ts';

/** Stands in an expression that may match any number of lines, or that the ends of the text have to do with. */
const BEYOND_LINES = /\\(?:[WDnrxc0P]|u000|p\{(?!ID_))|\[\^|\^|\$/u;
/** White space among other signs, or in what is repeated: so much of it as there may be. */
const SPACE_REPEATED = /\[(?:[^\]\\]|\\.)*\\s|\)[*+{]/u;
const SPACE = /\\s/gu;
/** So many times white space is looked across, which may break lines. */
const MOST_BREAKS = 4;

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
    const windows = Array.from({ length: MOST_BREAKS + 1 }, (_, breaks) => [
      lines(this.text, start, oldEnd, breaks),
      lines(text, start, newEnd, breaks),
    ]);
    const known = new Map<RegExp, boolean>();
    for (const [pattern, found] of this.known) {
      const [was, is] = windows[breaksOf(pattern)] ?? [];
      if (was === undefined || is === undefined) continue;
      if (pattern.test(is)) known.set(pattern, true);
      // What matched elsewhere still does; where it may have been here, the text has to be gone through.
      else if (!found || !pattern.test(was)) known.set(pattern, found);
    }
    return new TextTests(text, known);
  }
}

/** The lines of a stretch, and on both sides as many more as the breaks lead to; blank lines do not count. */
function lines(text: string, start: number, end: number, breaks: number): string {
  let from = lineStart(text, start);
  for (let left = breaks; left > 0 && from > 0;) {
    const before = lineStart(text, from - 1);
    if (text.slice(before, from).trim() !== '') left--;
    from = before;
  }
  let to = lineEnd(text, end);
  for (let left = breaks; left > 0 && to < text.length;) {
    const behind = lineEnd(text, to + 1);
    if (text.slice(to, behind).trim() !== '') left--;
    to = behind;
  }
  return text.slice(from, to);
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

const breaks = new WeakMap<RegExp, number>();

/** How many times what the expression matches can go on in another line at most. */
function breaksOf(pattern: RegExp): number {
  let most = breaks.get(pattern);
  if (most === undefined) {
    const { source, dotAll } = pattern;
    most = source.match(SPACE)?.length ?? 0;
    if (dotAll || BEYOND_LINES.test(source) || (most > 0 && SPACE_REPEATED.test(source))) most = Infinity;
    breaks.set(pattern, most);
  }
  return most;
}
