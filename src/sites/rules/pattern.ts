/** Caches the compiled regular expressions of rules, which every keystroke needs. */

/** By flags. */
const compiled = new Map<string, Map<string, RegExp>>();
/**
 * Many times the number in the built-in rules; a limit is needed because a workspace may change its own again and
 * again.
 */
const MOST = 10_000;

/** Without the flags `g` and `y` the regular expression has no state, so it can be shared. */
export function patternOf(source: string, flags = 'u'): RegExp {
  let known = compiled.get(flags);
  if (!known) compiled.set(flags, (known = new Map()));
  let pattern = known.get(source);
  if (!pattern) {
    if (known.size >= MOST) known.clear();
    known.set(source, (pattern = new RegExp(source, flags)));
  }
  pattern.lastIndex = 0;
  return pattern;
}

/** Escapes a text for a regular expression. */
export function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}
