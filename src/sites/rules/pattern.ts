/** Regular expressions of rules, compiled once: they are asked for with every keystroke. */

const compiled = new Map<string, RegExp>();

/** Without the flags `g` and `y` the same object is handed out, which keeps no place between two uses. */
export function patternOf(source: string, flags = 'u'): RegExp {
  const key = `${flags} ${source}`;
  let pattern = compiled.get(key);
  if (!pattern) {
    pattern = new RegExp(source, flags);
    compiled.set(key, pattern);
  }
  pattern.lastIndex = 0;
  return pattern;
}
