/**
 * A regular expression taken apart so that little of a text has to be gone through again after an edit: how far from
 * a change a match can begin or end, and which parts are asked for apart from each other.
 */
import { patternOf } from './pattern.ts';

/** From the line of a change a match can go on in another line so often, each time over so many characters of any kind. */
export interface Reach {
  readonly jumps: number;
  readonly characters: number;
}

/** Expressions of which any, or all, have to match somewhere; an expression alone has no bound where `reach` is missing. */
export type Condition =
  | { readonly pattern: RegExp; readonly reach: Reach | undefined }
  | { readonly any: readonly Condition[] }
  | { readonly all: readonly Condition[] };

const NONE: Reach = { jumps: 0, characters: 0 };
const MOST_JUMPS = 8;
const MOST_CHARACTERS = 1000;

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<\w+>))?/uy;
const ATOM =
  /\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]*\}|.)|\[(?:[^\]\\]|\\.)*\]|[^()|*+?{}[\]]/iuy;
const ASSERTION = /^(?:\^|\$|\\[bB])$/u;
const BACK_REFERENCE = /^\\(?:[1-9]|k)/u;
/** Matches white space alone. */
const SPACE = /^(?:\\s|\[(?:\\[sfnrtv]| )+\])$/u;
/** Begins to ask for something anywhere behind. */
const ANYWHERE = /^\(\?=\[\^\]\*\??/u;

const conditions = new WeakMap<RegExp, Condition>();

/** @param pattern without `g` and `y` */
export function conditionOf(pattern: RegExp): Condition {
  let condition = conditions.get(pattern);
  if (!condition) conditions.set(pattern, (condition = takenApart(pattern)));
  return condition;
}

function takenApart(pattern: RegExp): Condition {
  const { source, flags } = pattern;
  const read = new Reader(source, flags).read();
  if (!read || read.alternatives.every(({ reach }) => reach))
    return { pattern, reach: read && most(read.alternatives.map(({ reach }) => reach ?? NONE)) };
  const part = (text: string): Condition => conditionOf(patternOf(text, flags));
  const [first, second] = read.alternatives;
  if (second) {
    const bound = read.alternatives.filter(({ reach }) => reach).map(({ text }) => text);
    const others = read.alternatives.filter(({ reach }) => !reach).map(({ text }) => part(text));
    return { any: [...(bound.length > 0 ? [part(bound.join('|'))] : []), ...others] };
  }
  return first?.anywhere ? { all: first.anywhere.map(part) } : { pattern, reach: undefined };
}

interface Alternative {
  readonly text: string;
  /** Undefined without a bound. */
  readonly reach: Reach | undefined;
  /** All that it asks for, where it is `^(?=[^]*?…)(?=[^]*?…)`. */
  readonly anywhere: readonly string[] | undefined;
}

/** Reads an expression; what it does not know has no bound. */
class Reader {
  private readonly source: string;
  private readonly flags: string;
  private at = 0;

  constructor(source: string, flags: string) {
    this.source = source;
    this.flags = flags;
  }

  /** Undefined for what cannot be taken apart. */
  read(): { readonly alternatives: readonly Alternative[] } | undefined {
    if (!this.flags.includes('u')) return undefined;
    const alternatives = this.alternatives();
    // A part cannot refer to what another part has matched.
    if (!alternatives || this.at < this.source.length || /\\(?:[1-9]|k<)/u.test(this.source))
      return undefined;
    return { alternatives };
  }

  private alternatives(): readonly Alternative[] | undefined {
    const found: Alternative[] = [];
    do {
      const alternative = this.alternative();
      if (!alternative) return undefined;
      found.push(alternative);
    } while (this.takes('|'));
    return found;
  }

  private alternative(): Alternative | undefined {
    const start = this.at;
    let reach: Reach | undefined = NONE;
    let anywhere: string[] | undefined = this.takes('^') && !this.flags.includes('m') ? [] : undefined;
    if (anywhere) reach = undefined;
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at]!)) {
      const from = this.at;
      const item = this.item();
      if (!item) return undefined;
      reach = reach && item.reach && together(reach, item.reach);
      const text = this.source.slice(from, this.at);
      if (item.isAhead && ANYWHERE.test(text)) anywhere?.push(text.replace(ANYWHERE, '').slice(0, -1));
      else anywhere = undefined;
    }
    return {
      text: this.source.slice(start, this.at),
      reach,
      anywhere: anywhere && anywhere.length > 0 ? anywhere : undefined,
    };
  }

  /** One sign, class or group with its quantifier; undefined where it cannot be read. */
  private item(): { readonly reach: Reach | undefined; readonly isAhead: boolean } | undefined {
    const group = this.match(GROUP)?.[0];
    const atom = group === undefined ? this.match(ATOM)?.[0] : undefined;
    if (group === undefined && atom === undefined) return undefined;
    const inner = group === undefined ? undefined : this.alternatives();
    if (group !== undefined && (!inner || !this.takes(')'))) return undefined;
    const times = this.times();
    if (times === undefined) return undefined;
    // `(?=[^]*?a|b)` asks for something else.
    const isAhead = group === '(?=' && inner?.length === 1 && times === 1;
    const reach = inner ? repeated(reachOfAny(inner), times) : this.reachOf(atom ?? '', times);
    return { reach, isAhead };
  }

  private reachOf(atom: string, times: number): Reach | undefined {
    if (BACK_REFERENCE.test(atom)) return undefined;
    if (ASSERTION.test(atom)) return /[\^$]/u.test(atom) && !this.flags.includes('m') ? undefined : NONE;
    if (!new RegExp(atom, this.flags).test('\n')) return NONE;
    // Blank lines are passed over wherever white space may be.
    if (SPACE.test(atom)) return { jumps: 1, characters: 0 };
    return times > MOST_CHARACTERS ? undefined : { jumps: 1, characters: times };
  }

  /** How often at most; undefined where the quantifier cannot be read. */
  private times(): number | undefined {
    const found = this.match(QUANTIFIER);
    if (!found) return /[*+?{]/u.test(this.source[this.at] ?? '') ? undefined : 1;
    const [text, least, comma, highest] = found;
    if (least === undefined) return text.startsWith('?') ? 1 : Infinity;
    if (comma === undefined) return Number(least);
    return highest ? Number(highest) : Infinity;
  }

  private takes(sign: string): boolean {
    if (this.source[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const found = expression.exec(this.source);
    if (found) this.at = expression.lastIndex;
    return found;
  }
}

function reachOfAny(alternatives: readonly Alternative[]): Reach | undefined {
  return alternatives.every(({ reach }) => reach)
    ? most(alternatives.map(({ reach }) => reach ?? NONE))
    : undefined;
}

function most(reaches: readonly Reach[]): Reach {
  return {
    jumps: Math.max(...reaches.map(({ jumps }) => jumps)),
    characters: Math.max(...reaches.map(({ characters }) => characters)),
  };
}

/** One after the other. */
function together(a: Reach, b: Reach): Reach | undefined {
  const jumps = a.jumps + b.jumps;
  return jumps > MOST_JUMPS ? undefined : { jumps, characters: Math.max(a.characters, b.characters) };
}

function repeated(reach: Reach | undefined, times: number): Reach | undefined {
  if (!reach || reach.jumps === 0) return reach;
  const jumps = reach.jumps * times;
  return jumps > MOST_JUMPS ? undefined : { ...reach, jumps };
}
