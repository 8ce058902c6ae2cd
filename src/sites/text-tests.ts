/** Whether regular expressions match anywhere in a text, from one edit to the next. */
import type { Change } from './parsing.ts';
import { conditionOf, type Condition, type Reach } from './rules/reach.ts';

export class TextTests {
  private current: string;
  /** By expressions that are not taken apart further. */
  private readonly known = new Map<RegExp, boolean>();

  constructor(text: string) {
    this.current = text;
  }

  get text(): string {
    return this.current;
  }

  /** @param pattern without `g` and `y` */
  test(pattern: RegExp): boolean {
    return this.holds(conditionOf(pattern));
  }

  /**
   * Takes over a change of the text: only the lines of the change are gone through where that is enough.
   *
   * @returns whether everything that was asked has the same answer as before
   */
  edit(text: string, change: Change): boolean {
    const windows = new Windows(this.current, text, change);
    this.current = text;
    let isSame = true;
    for (const pattern of this.known.keys()) {
      const found = this.known.get(pattern) ?? false;
      const now = windows.after(pattern, reachOf(pattern), found) ?? pattern.test(text);
      if (now === found) continue;
      isSame = false;
      this.known.set(pattern, now);
    }
    return isSame;
  }

  private holds(condition: Condition): boolean {
    if ('any' in condition) return condition.any.some((each) => this.holds(each));
    if ('all' in condition) return condition.all.every((each) => this.holds(each));
    const { pattern } = condition;
    let found = this.known.get(pattern);
    if (found === undefined) this.known.set(pattern, (found = pattern.test(this.current)));
    return found;
  }
}

/** Whether all matches of the expression, which are within reach of a line, are as they were before the change. */
export function isUntouched(pattern: RegExp, before: string, after: string, change: Change): boolean {
  return new Windows(before, after, change).isFree(pattern, reachOf(pattern));
}

function reachOf(pattern: RegExp): Reach | undefined {
  const condition = conditionOf(pattern);
  return 'reach' in condition ? condition.reach : undefined;
}

interface Window {
  readonly was: string;
  readonly is: string;
}

/** The lines around a change, before it and after, as far as what is looked for can reach. */
class Windows {
  private readonly before: string;
  private readonly text: string;
  private readonly change: Change;
  private readonly known: Window[][] = [];

  constructor(before: string, text: string, change: Change) {
    this.before = before;
    this.text = text;
    this.change = change;
  }

  /**
   * Whether the expression matches somewhere after the change.
   *
   * @param found whether it did before
   * @returns undefined where the text has to be gone through
   */
  after(pattern: RegExp, reach: Reach | undefined, found: boolean): boolean | undefined {
    if (!reach) return undefined;
    const { was, is } = this.within(reach);
    if (pattern.test(is)) return true;
    // A match elsewhere still stands; where it may have been here, the text has to be gone through.
    return found && pattern.test(was) ? undefined : found;
  }

  /** Whether the expression surely matches nowhere around the change, neither before it nor after. */
  isFree(pattern: RegExp, reach: Reach | undefined): boolean {
    if (!reach) return false;
    const { was, is } = this.within(reach);
    return !pattern.test(was) && !pattern.test(is);
  }

  private within(reach: Reach): Window {
    const { start, oldEnd, newEnd } = this.change;
    const known = (this.known[reach.jumps] ??= []);
    return (known[reach.characters] ??= {
      was: around(this.before, start, oldEnd, reach),
      is: around(this.text, start, newEnd, reach),
    });
  }
}

/** The lines of a stretch, and on both sides as many more as can be reached; blank lines do not count. */
function around(text: string, start: number, end: number, { jumps, characters }: Reach): string {
  let from = lineStart(text, start);
  let to = lineEnd(text, end);
  for (let left = jumps; left > 0; left--) {
    from = lineStart(text, Math.max(0, lineAbove(text, from) - characters));
    to = lineEnd(text, Math.min(text.length, lineBelow(text, to) + characters));
  }
  return text.slice(from, to);
}

/** Where the last line before that is not blank begins. */
function lineAbove(text: string, start: number): number {
  let from = start;
  while (from > 0) {
    const before = lineStart(text, from - 1);
    const isBlank = text.slice(before, from).trim() === '';
    from = before;
    if (!isBlank) break;
  }
  return from;
}

/** Where the next line that is not blank ends. */
function lineBelow(text: string, end: number): number {
  let to = end;
  while (to < text.length) {
    const behind = lineEnd(text, to + 1);
    const isBlank = text.slice(to, behind).trim() === '';
    to = behind;
    if (!isBlank) break;
  }
  return to;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
