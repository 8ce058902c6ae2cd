/**
 * Globs come from files of a workspace that nobody may have read. They become regular expressions, whose time grows
 * by a factor of the name's length with every wildcard: `*a*a*a*a*b` takes minutes on one long name. What people
 * write stays far below these limits.
 */

const MOST_CHARACTERS = 1_000;
/** `**` in the whole pattern; with {@link MAX_DEPTH} folders a path takes milliseconds. */
const MOST_GLOBSTARS = 3;
/** `*`, `+(…)` and `*(…)` between two slashes; a name of 255 characters takes half a second at worst. */
const MOST_WILDCARDS = 3;
/** Folders below a root that are entered. */
export const MAX_DEPTH = 64;

/** Stars beside each other are one, but the last of them may belong to a group. */
const WILDCARD = /\*+(?!\()|\*\(|\+\(/gu;

/** A repeated group that repeats something itself, or chooses freely, takes exponential time. */
const NESTED_REPETITION = /[+*]\([^()]*[*?[(]/u;

/** Why matching a pattern could take for ever, in words that go on from "it"; nothing for one that may be used. */
export function globProblem(pattern: string): string | undefined {
  if (pattern.length > MOST_CHARACTERS) return `is longer than ${MOST_CHARACTERS} characters`;
  if (NESTED_REPETITION.test(pattern)) return 'repeats a group that has wildcards or groups in it';
  if (countOf(pattern, /\*\*/gu) > MOST_GLOBSTARS) return `has more than ${MOST_GLOBSTARS} "**"`;
  const segments = pattern.split('/').filter((segment) => segment !== '**');
  if (segments.some((segment) => countOf(segment, WILDCARD) > MOST_WILDCARDS))
    return `has more than ${MOST_WILDCARDS} wildcards between two slashes`;
  return undefined;
}

function countOf(text: string, part: RegExp): number {
  return text.match(part)?.length ?? 0;
}
