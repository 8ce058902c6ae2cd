/**
 * Globs come from files of a workspace that nobody may have read. They become regular expressions, whose time grows
 * by a factor of the name's length with every wildcard: `*a*a*a*a*b` takes minutes on one long name. What people
 * write stays far below these limits.
 */
import * as l10n from '@vscode/l10n';

const MOST_CHARACTERS = 1_000;
/** `**` in the whole pattern; with {@link MAX_DEPTH} folders a path takes milliseconds. */
const MOST_GLOBSTARS = 3;
/** `*`, `+(…)` and `*(…)` between two slashes; a name of 255 characters takes half a second at worst. */
const MOST_WILDCARDS = 3;
/** Patterns that the braces of one may stand for: Node's own matching writes all of them out before it looks. */
const MOST_ALTERNATIVES = 256;
/** Folders below a root that are entered. */
export const MAX_DEPTH = 64;

/** Stars beside each other are one, but the last of them may belong to a group. */
const WILDCARD = /\*+(?!\()|\*\(|\+\(/gu;

/** A repeated group that repeats something itself, or chooses freely, takes exponential time. */
const NESTED_REPETITION = /[+*]\([^()]*[*?[(]/u;

/** Why matching a pattern could take for ever, a sentence; nothing for one that may be used. */
export function globProblem(pattern: string): string | undefined {
  const shown = shortened(pattern);
  if (pattern.length > MOST_CHARACTERS)
    return l10n.t`The glob pattern "${shown}" is longer than ${MOST_CHARACTERS} characters.`;
  if (NESTED_REPETITION.test(pattern))
    return l10n.t`The glob pattern "${shown}" repeats a group that has wildcards or groups in it.`;
  if (alternativesOf(pattern) > MOST_ALTERNATIVES)
    return l10n.t`The braces of the glob pattern "${shown}" match more than ${MOST_ALTERNATIVES} patterns.`;
  if (countOf(pattern, /\*\*/gu) > MOST_GLOBSTARS)
    return l10n.t`The glob pattern "${shown}" has more than ${MOST_GLOBSTARS} "**".`;
  if (pattern.split('/').some((segment) => countOf(segment, WILDCARD) > MOST_WILDCARDS))
    return l10n.t`The glob pattern "${shown}" has more than ${MOST_WILDCARDS} wildcards between two slashes.`;
  return undefined;
}

function shortened(pattern: string): string {
  return pattern.length <= 100 ? pattern : `${pattern.slice(0, 100).toWellFormed()}…`;
}

function countOf(text: string, part: RegExp): number {
  return text.match(part)?.length ?? 0;
}

/** How many patterns `a{b,c}{1..3}` stands for: the product of its braces, each the sum of its choices. */
function alternativesOf(pattern: string): number {
  let product = 1;
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '{') {
      const choices = choicesAt(pattern, at);
      if (!choices) continue;
      product *= countChoices(choices.texts);
      at = choices.end;
    }
  }
  return product;
}

function countChoices(texts: readonly string[]): number {
  const [only] = texts;
  if (texts.length > 1) return texts.reduce((sum, text) => sum + alternativesOf(text), 0);
  return rangeSize(only!) ?? alternativesOf(only!);
}

/** `1..9`, `a..e`, `0..100..5`; undefined for anything else. */
function rangeSize(text: string): number | undefined {
  const range = /^(-?\d+|[a-z])\.\.(-?\d+|[a-z])(?:\.\.-?(\d+))?$/iu.exec(text);
  if (!range) return undefined;
  const [from, to] = [range[1]!, range[2]!].map((end) =>
    /\d/u.test(end) ? Number(end) : end.codePointAt(0)!,
  );
  return Math.floor(Math.abs(to! - from!) / Math.max(1, Number(range[3] ?? 1))) + 1;
}

/** The choices of the brace that opens at a place, and where it closes; undefined where it never does. */
function choicesAt(pattern: string, open: number): { texts: string[]; end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < pattern.length; at++) {
    const sign = pattern[at];
    if (sign === '\\') at++;
    else if (sign === '{') depth++;
    else if (sign === ',' && depth === 1) {
      texts.push(pattern.slice(start, at));
      start = at + 1;
    } else if (sign === '}') {
      depth--;
      if (depth === 0) return { texts: [...texts, pattern.slice(start, at)], end: at };
    }
  }
  return undefined;
}
