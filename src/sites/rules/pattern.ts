/** Regular expressions of rules, compiled once: they are asked for with every keystroke. */

/** By their flags. */
const compiled = new Map<string, Map<string, RegExp>>();
/** Many times as many of each as the built-in rules have: a workspace may write its own anew again and again. */
const MOST = 10_000;

/** Without the flags `g` and `y` the same object is handed out, which keeps no place between two uses. */
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

/** The text as a part of an expression. */
export function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}
