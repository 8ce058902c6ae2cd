/**
 * The rules of a robots.txt for one robot (RFC 9309). Reading takes one pass, and matching takes time proportional to
 * the sum of the lengths of rule and URL rather than their product, as the file is untrusted.
 */

/** With more rules, a site's permissions count as unknown. */
const MAX_RULES = 10_000;

export interface RobotRules {
  /** @param path with the query string */
  allows(path: string): boolean;
  /** Seconds between two requests, if the file specifies a number. */
  readonly delay: number | undefined;
}

interface Rule {
  readonly allows: boolean;
  /** Length of the pattern. The longest matching one decides. */
  readonly length: number;
  readonly matches: (path: string) => boolean;
}

interface Group {
  readonly patterns: Map<string, boolean>;
  delay: number | undefined;
}

/**
 * @param robot its name, in lower case
 * @returns `undefined` if there are too many rules
 */
export function readRobots(text: string, robot: string): RobotRules | undefined {
  const groups = new Map<string, Group>();
  let named = new Set<Group>();
  let hasRules = true;
  for (const line of text.split(/\r\n|\r|\n/u)) {
    const [, field = '', value = ''] = /^([^:]*):(.*)/su.exec(line.split('#', 1)[0]!) ?? [];
    const name = field.trim().toLowerCase();
    if (name === 'user-agent') {
      if (hasRules) named = new Set();
      hasRules = false;
      const agent = value.split('/', 1)[0]!.trim().toLowerCase();
      // Groups of other robots are ignored, however many there are.
      if (agent === robot || agent === '*') named.add(groupOf(groups, agent));
    } else if (name === 'allow' || name === 'disallow') {
      hasRules = true;
      for (const { patterns } of named) addRule(patterns, value.trim(), name === 'allow');
    } else if (name === 'crawl-delay') {
      hasRules = true;
      const delay = Number(value);
      if (!Number.isNaN(delay)) for (const group of named) group.delay = delay;
    }
  }
  const group = groups.get(robot) ?? groups.get('*');
  if (!group) return { allows: () => true, delay: undefined };
  return group.patterns.size > MAX_RULES ? undefined : rulesOf(group);
}

function groupOf(groups: Map<string, Group>, agent: string): Group {
  const known = groups.get(agent) ?? { patterns: new Map<string, boolean>(), delay: undefined };
  groups.set(agent, known);
  return known;
}

/** Of two equal patterns, the allowing one counts. */
function addRule(patterns: Map<string, boolean>, pattern: string, allows: boolean): void {
  if (pattern === '') return;
  const normalPattern = normalised(pattern);
  patterns.set(normalPattern, allows || patterns.get(normalPattern) === true);
}

function rulesOf({ patterns, delay }: Group): RobotRules {
  // The first match decides.
  const rules = [...patterns]
    .map(([pattern, allows]): Rule => ({ allows, length: pattern.length, matches: matcherOf(pattern) }))
    .sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows));
  return {
    allows(path) {
      const normalPath = withCapitals(path);
      return rules.find(({ matches }) => matches(normalPath))?.allows ?? true;
    },
    delay,
  };
}

/** Percent-encodes non-ASCII characters as in URLs. */
function normalised(pattern: string): string {
  return withCapitals(encodeURI(pattern.toWellFormed()).replaceAll('%25', '%'));
}

function withCapitals(path: string): string {
  return path.replace(/%[\da-f]{2}/giu, (sign) => sign.toUpperCase());
}

/** `*` matches any characters, and a final `$` the end of the URL. */
function matcherOf(pattern: string): Rule['matches'] {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (parts.length === 0) return isWhole ? (path) => path === first : (path) => path.startsWith(first);
  const last = isWhole ? parts.pop()! : '';
  return (path) => {
    if (!path.startsWith(first)) return false;
    const end = endOf(parts, path, first.length);
    return end !== undefined && path.length - end >= last.length && path.endsWith(last);
  };
}

/** @returns the end of the last part, with each matched as early as possible after the preceding one */
function endOf(parts: readonly string[], path: string, from: number): number | undefined {
  let end = from;
  for (const part of parts) {
    const start = path.indexOf(part, end);
    if (start < 0) return undefined;
    end = start + part.length;
  }
  return end;
}
