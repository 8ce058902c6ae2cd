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
  | {
      readonly pattern: RegExp;
      readonly reach: Reach | undefined;
      /** Where it matches, all of these match somewhere, too. */
      readonly asks: readonly Condition[];
      /** Where it matches, this matches within one word of the text; undefined where that cannot be told. */
      readonly word: RegExp | undefined;
    }
  | { readonly any: readonly Condition[] }
  | { readonly all: readonly Condition[] };

/** A match stays within its line. */
export const NONE: Reach = { jumps: 0, characters: 0 };
/** Those of conditions, each once: what can be reached from a change is kept by them. */
const reaches: Reach[] = [NONE];
const MOST_JUMPS = 8;
const MOST_CHARACTERS = 1000;

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<\w+>))?/uy;
const ATOM =
  /\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]*\}|.)|\[(?:[^\]\\]|\\.)*\]|[^()|*+?{}[\]]/iuy;
const ASSERTION = /^(?:\^|\$|\\[bB])$/u;
const BACK_REFERENCE = /^\\(?:[1-9]|k)/u;
/** Matches white space alone, and the `\` that a line is continued by. */
const SPACE = /^(?:\\s|\[(?:\\[sfnrtv\\]| )+\])$/u;
/** Begins to ask for something anywhere behind, or as far behind as is said. */
const ANYWHERE = /^\(\?=\[(?:\^|\\s\\S)\](?:\*|(\{0,\d+\}))\??/u;

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
  const literal = read && literalOfAny(read.alternatives);
  const word = literal && patternOf(literal.text, flags);
  if (!read || read.alternatives.every(({ reach }) => reach))
    return {
      pattern,
      reach: read && shared(most(read.alternatives.map(({ reach }) => reach ?? NONE))),
      asks: [],
      word,
    };
  const part = (text: string): Condition => conditionOf(patternOf(text, flags));
  const [first, second] = read.alternatives;
  if (second) {
    const bound = read.alternatives.filter(({ reach }) => reach).map(({ text }) => text);
    const others = read.alternatives.filter(({ reach }) => !reach).map(({ text }) => part(text));
    return { any: [...(bound.length > 0 ? [part(bound.join('|'))] : []), ...others] };
  }
  const asks = first?.anywhere.map(part) ?? [];
  return first?.isAnywhere ? { all: asks } : { pattern, reach: undefined, asks, word };
}

interface Alternative {
  readonly text: string;
  /** Undefined without a bound. */
  readonly reach: Reach | undefined;
  /** The parts of `^(?=[^]*?…)(?=[^]*?…)`, each of which may match anywhere. */
  readonly anywhere: readonly string[];
  /** It asks for nothing else. */
  readonly isAnywhere: boolean;
  /** The longest that is surely in a match. */
  readonly literal: Literal | undefined;
}

/** An expression that matches within a word, and how many signs it takes at least. */
interface Literal {
  readonly text: string;
  readonly length: number;
}

const NO_SIGNS: Literal = { text: '', length: 0 };
/** Shorter ones are in every text. */
const SHORTEST_LITERAL = 3;
/** A sign of words, in one of several forms: `r`, `[rR]`, `\$`. */
const SIGN = /^(?:\w|\[\w+\]|\\\$)$/u;
/** Begins a group that has to match where the whole does. */
const MATCHED = /^\((?:\?(?:[:=]|<\w+>))?$/u;

interface Item {
  readonly reach: Reach | undefined;
  readonly isAhead: boolean;
  readonly literal: Literal | undefined;
  /** It is a part of a longer literal where others stand beside it. */
  readonly isSign: boolean;
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
    const anywhere: string[] = [];
    const isWhole = this.takes('^') && !this.flags.includes('m');
    let isAnywhere = isWhole;
    if (isWhole) reach = undefined;
    let signs = NO_SIGNS;
    let literal: Literal | undefined;
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at]!)) {
      const from = this.at;
      const item = this.item();
      if (!item) return undefined;
      reach = reach && item.reach && together(reach, item.reach);
      const text = this.source.slice(from, this.at);
      signs = item.isSign ? { text: signs.text + text, length: signs.length + 1 } : NO_SIGNS;
      literal = longer(longer(literal, signs), item.literal);
      const asked = isWhole && item.isAhead ? ANYWHERE.exec(text) : null;
      if (asked) anywhere.push(text.slice(asked[0].length, -1));
      isAnywhere &&= asked !== null && asked[1] === undefined;
    }
    return {
      text: this.source.slice(start, this.at),
      reach,
      anywhere,
      isAnywhere: isAnywhere && anywhere.length > 0,
      literal,
    };
  }

  /** One sign, class or group with its quantifier; undefined where it cannot be read. */
  private item(): Item | undefined {
    const group = this.match(GROUP)?.[0];
    const atom = group === undefined ? this.match(ATOM)?.[0] : undefined;
    if (group === undefined && atom === undefined) return undefined;
    const inner = group === undefined ? undefined : this.alternatives();
    if (group !== undefined && (!inner || !this.takes(')'))) return undefined;
    const end = this.at;
    const times = this.times();
    if (times === undefined) return undefined;
    const isOnce = this.at === end;
    // `(?=[^]*?a|b)` asks for something else.
    const isAhead = group === '(?=' && inner?.length === 1 && isOnce;
    const reach = inner ? repeated(reachOfAny(inner), times) : this.reachOf(atom ?? '', times);
    const literal = isOnce && inner && MATCHED.test(group ?? '') ? literalOfAny(inner) : undefined;
    return { reach, isAhead, literal, isSign: isOnce && SIGN.test(atom ?? '') };
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

/** Undefined where an alternative has none. */
function literalOfAny(alternatives: readonly Alternative[]): Literal | undefined {
  const literals = alternatives.flatMap(({ literal }) => literal ?? []);
  if (literals.length < alternatives.length) return undefined;
  const text = [...new Set(literals.map((each) => each.text))].join('|');
  return {
    text: literals.length === 1 ? text : `(?:${text})`,
    length: Math.min(...literals.map(({ length }) => length)),
  };
}

function longer(a: Literal | undefined, b: Literal | undefined): Literal | undefined {
  if (!b || b.length < SHORTEST_LITERAL) return a;
  return a && a.length >= b.length ? a : b;
}

function reachOfAny(alternatives: readonly Alternative[]): Reach | undefined {
  return alternatives.every(({ reach }) => reach)
    ? most(alternatives.map(({ reach }) => reach ?? NONE))
    : undefined;
}

function most(all: readonly Reach[]): Reach {
  return {
    jumps: Math.max(...all.map(({ jumps }) => jumps)),
    characters: Math.max(...all.map(({ characters }) => characters)),
  };
}

function shared(reach: Reach): Reach {
  const known = reaches.find(
    ({ jumps, characters }) => jumps === reach.jumps && characters === reach.characters,
  );
  if (!known) reaches.push(reach);
  return known ?? reach;
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
