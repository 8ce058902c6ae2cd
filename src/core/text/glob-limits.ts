/**
 * Limits on glob patterns. Patterns come from untrusted workspace files and become regular expressions, whose time is
 * multiplied by the name's length with every wildcard: `*a*a*a*a*b` takes minutes on one long name. Real patterns stay
 * far below these limits.
 */
import * as l10n from '@vscode/l10n';

const MAX_CHARACTERS = 1_000;
/** `**` in the whole pattern. With {@link MAX_DEPTH} folders, a path takes milliseconds. */
const MAX_GLOBSTARS = 3;
/** `*`, `+(…)` and `*(…)` between two slashes. A name of 255 characters takes at most half a second. */
const MAX_WILDCARDS = 3;
/** Expansions of a pattern's braces. Node's matcher generates all of them first. */
const MAX_ALTERNATIVES = 256;
/** The deepest folders to enter below a root. */
export const MAX_DEPTH = 64;

/** Consecutive stars count as one, but the last may belong to a group. */
const WILDCARD = /\*+(?!\()|\*\(|\+\(/gu;

/** A repeated group with repetition or alternatives inside takes exponential time. */
const NESTED_REPETITION = /[+*]\([^()]*[*?[(]/u;

/** A sentence on why matching a pattern may take forever. `undefined` if the pattern is acceptable. */
export function globProblem(pattern: string): string | undefined {
  const shown = shortened(pattern);
  if (pattern.length > MAX_CHARACTERS)
    return l10n.t`The glob pattern "${shown}" is longer than ${MAX_CHARACTERS} characters.`;
  if (NESTED_REPETITION.test(pattern))
    return l10n.t`The glob pattern "${shown}" repeats a group that has wildcards or groups in it.`;
  if (alternativesOf(pattern) > MAX_ALTERNATIVES)
    return l10n.t`The braces of the glob pattern "${shown}" match more than ${MAX_ALTERNATIVES} patterns.`;
  if (countOf(pattern, /\*\*/gu) > MAX_GLOBSTARS)
    return l10n.t`The glob pattern "${shown}" has more than ${MAX_GLOBSTARS} "**".`;
  if (pattern.split('/').some((segment) => countOf(segment, WILDCARD) > MAX_WILDCARDS))
    return l10n.t`The glob pattern "${shown}" has more than ${MAX_WILDCARDS} wildcards between two slashes.`;
  return undefined;
}

function shortened(pattern: string): string {
  return pattern.length <= 100 ? pattern : `${pattern.slice(0, 100).toWellFormed()}…`;
}

function countOf(text: string, part: RegExp): number {
  return text.match(part)?.length ?? 0;
}

/** The number of patterns that `a{b,c}{1..3}` expands to: the product over its braces of the number of choices. */
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

/** The size of `1..9`, `a..e` or `0..100..5`. `undefined` for anything else. */
function rangeSize(text: string): number | undefined {
  const range = /^(-?\d+|[a-z])\.\.(-?\d+|[a-z])(?:\.\.-?(\d+))?$/iu.exec(text);
  if (!range) return undefined;
  const [from, to] = [range[1]!, range[2]!].map((end) =>
    /\d/u.test(end) ? Number(end) : end.codePointAt(0)!,
  );
  return Math.floor(Math.abs(to! - from!) / Math.max(1, Number(range[3] ?? 1))) + 1;
}

/** The choices of the brace at an offset, and the offset of its end. `undefined` if it is not closed. */
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
