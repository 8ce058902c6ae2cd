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
  if (countOf(pattern, /\*\*/gu) > MOST_GLOBSTARS)
    return l10n.t`The glob pattern "${shown}" has more than ${MOST_GLOBSTARS} "**".`;
  const segments = pattern.split('/').filter((segment) => segment !== '**');
  if (segments.some((segment) => countOf(segment, WILDCARD) > MOST_WILDCARDS))
    return l10n.t`The glob pattern "${shown}" has more than ${MOST_WILDCARDS} wildcards between two slashes.`;
  return undefined;
}

function shortened(pattern: string): string {
  return pattern.length <= 100 ? pattern : `${pattern.slice(0, 100).toWellFormed()}…`;
}

function countOf(text: string, part: RegExp): number {
  return text.match(part)?.length ?? 0;
}
