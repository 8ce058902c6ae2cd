/** Whether names and regular expressions are found anywhere in a text, from one edit to the next. */
import type { Change } from './parsing.ts';
import { positionsIn } from './resolve/words.ts';
import { conditionOf, NONE, type Condition, type Reach } from './rules/reach.ts';

/** A name, as it stands, or whatever an expression matches. */
type Sought = string | RegExp;

export class TextTests {
  private current: string;
  /** By names, and by expressions that are not taken apart further. */
  private readonly known = new Map<Sought, boolean>();
  private isEdited = false;
  private places: Map<string, number[]> | undefined;
  private vocabulary: string | undefined;

  constructor(text: string) {
    this.current = text;
  }

  /** Where each word of the text stands; undefined once it was edited, and then the map is the reader's own. */
  get positions(): Map<string, number[]> | undefined {
    return this.isEdited ? undefined : (this.places ??= positionsIn(this.current));
  }

  get text(): string {
    return this.current;
  }

  /** @param pattern without `g` and `y` */
  test(pattern: RegExp): boolean {
    return holds(conditionOf(pattern), (part) => this.matches(part));
  }

  /** @param name of one line */
  has(name: string): boolean {
    let found = this.known.get(name);
    if (found === undefined) this.known.set(name, (found = this.current.includes(name)));
    return found;
  }

  /**
   * Whether a part of the text, or of one that goes with it, may match: where a part begins and ends is not seen here.
   *
   * @param pattern without `g` and `y`
   * @param beside another text
   */
  mayHold(pattern: RegExp, beside = ''): boolean {
    return this.mayMeet(conditionOf(pattern), beside);
  }

  /** Whether a part of the text may match, wherever that part begins and ends. */
  mayMention(pattern: RegExp): boolean {
    const condition = conditionOf(pattern);
    return !('word' in condition) || condition.word === undefined || this.test(condition.word);
  }

  private mayMeet(condition: Condition, beside: string): boolean {
    return holds(condition, (part) =>
      ANCHORED.test(part.pattern.source)
        ? part.asks.every((each) => this.mayMeet(each, beside))
        : this.matches(part) || (beside !== '' && part.pattern.test(beside)),
    );
  }

  /**
   * Takes over a change of the text: only the lines of the change are gone through where that is enough.
   *
   * @returns whether everything that was asked has the same answer as before
   */
  edit(text: string, change: Change): boolean {
    const windows = new Windows(this.current, text, change);
    this.current = text;
    this.isEdited = true;
    this.places = undefined;
    this.vocabulary = undefined;
    let isSame = true;
    for (const sought of this.known.keys()) {
      const found = this.known.get(sought) ?? false;
      const now = windows.after(sought, found) ?? isIn(text, sought);
      if (now === found) continue;
      isSame = false;
      this.known.set(sought, now);
    }
    return isSame;
  }

  private matches({ pattern, word }: Single): boolean {
    let found = this.known.get(pattern);
    if (found === undefined) {
      found = (!word || this.mayHaveWord(word)) && pattern.test(this.current);
      this.known.set(pattern, found);
    }
    return found;
  }

  /** Whether the expression matches within a word of the text: each is looked at once, which is a tenth of the text. */
  private mayHaveWord(pattern: RegExp): boolean {
    const { positions } = this;
    return !positions || pattern.test((this.vocabulary ??= [...positions.keys()].join('\n')));
  }
}

function isIn(text: string, sought: Sought): boolean {
  return typeof sought === 'string' ? text.includes(sought) : sought.test(text);
}

type Single = Extract<Condition, { pattern: RegExp }>;

function holds(condition: Condition, matches: (single: Single) => boolean): boolean {
  if ('any' in condition) return condition.any.some((each) => holds(each, matches));
  if ('all' in condition) return condition.all.every((each) => holds(each, matches));
  return matches(condition);
}

/** Asks for the beginning or the end of what it is applied to. */
const ANCHORED = /^\^|(?<!\\)\$$/u;

/** Says of expressions whether all their matches, which are within reach of a line, are as they were before the change. */
export function untouchedBy(before: string, after: string, change: Change): (pattern: RegExp) => boolean {
  const windows = new Windows(before, after, change);
  return (pattern) => windows.isFree(pattern);
}

function reachOf(sought: Sought): Reach | undefined {
  if (typeof sought === 'string') return NONE;
  const condition = conditionOf(sought);
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
  private readonly known = new Map<Reach, Window>();

  constructor(before: string, text: string, change: Change) {
    this.before = before;
    this.text = text;
    this.change = change;
  }

  /**
   * Whether it is found somewhere after the change.
   *
   * @param found whether it was before
   * @returns undefined where the text has to be gone through
   */
  after(sought: Sought, found: boolean): boolean | undefined {
    const reach = reachOf(sought);
    if (!reach) return undefined;
    const { was, is } = this.within(reach);
    if (isIn(is, sought)) return true;
    // A match elsewhere still stands; where it may have been here, the text has to be gone through.
    return found && isIn(was, sought) ? undefined : found;
  }

  /** Whether the expression surely matches nowhere around the change, neither before it nor after. */
  isFree(pattern: RegExp): boolean {
    const reach = reachOf(pattern);
    if (!reach) return false;
    const { was, is } = this.within(reach);
    return !pattern.test(was) && !pattern.test(is);
  }

  private within(reach: Reach): Window {
    let window = this.known.get(reach);
    if (!window) {
      const { start, oldEnd, newEnd } = this.change;
      window = {
        was: around(this.before, start, oldEnd, reach),
        is: around(this.text, start, newEnd, reach),
      };
      this.known.set(reach, window);
    }
    return window;
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

/** White space, or the `\` by which a line is continued: an expression that asks for any white space passes over these. */
const BLANK = /^[\s\\]*$/u;

/** Where the last line before that is not blank begins. */
function lineAbove(text: string, start: number): number {
  let from = start;
  while (from > 0) {
    const before = lineStart(text, from - 1);
    const isBlank = BLANK.test(text.slice(before, from));
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
    const isBlank = BLANK.test(text.slice(to, behind));
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
