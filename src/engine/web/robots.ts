/** Reads the robots.txt of each site once (RFC 9309). */
import robotsModule from 'robots-parser';
import { ROBOT_NAME } from './pinned-client.ts';

/** Its types describe an ES module, which it is not. */
const parseRobots = robotsModule as unknown as (typeof robotsModule)['default'];

/** Larger files may be cut there (RFC 9309, 2.5). */
export const MAX_ROBOTS_BYTES = 512 * 1024;

/**
 * Characters from a rule's first wildcard on, over all rules. Matching a URL takes steps of this times its length: a
 * file that means harm could hold everything up for minutes, and the longest honest ones stay below this.
 */
const MAX_WILDCARD_CHARACTERS = 30_000;

/** A file may ask for any number, infinity among them. */
const LONGEST_DELAY_SECONDS = 24 * 60 * 60;

export interface SiteRules {
  allows(url: URL): boolean;
  /** The pause the site asks for between two requests. */
  readonly delayMs: number;
  /** Nothing is allowed for now, because the rules could not be read. */
  readonly isClosed: boolean;
}

/** An answer to the request for robots.txt, after redirects. */
export interface RobotsAnswer {
  readonly status: number;
  readonly text: string;
}

const NO_RULES: SiteRules = { allows: () => true, delayMs: 0, isClosed: false };
/** The server is in trouble, or busy: nobody knows what it allows. */
const CLOSED: SiteRules = { allows: () => false, delayMs: 0, isClosed: true };

/** @param url of robots.txt */
function rulesFrom(url: URL, { status, text }: RobotsAnswer): SiteRules {
  if (status === 429 || status >= 500) return CLOSED;
  if (status < 200 || status >= 300) return NO_RULES;
  if (wildcardCharacters(text) > MAX_WILDCARD_CHARACTERS) return CLOSED;
  const robots = parseRobots(url.href, text);
  const seconds = robots.getCrawlDelay(ROBOT_NAME) || 0;
  return {
    allows: (page) => robots.isAllowed(page.href, ROBOT_NAME) !== false,
    delayMs: Math.min(Math.max(0, seconds), LONGEST_DELAY_SECONDS) * 1000,
    isClosed: false,
  };
}

function wildcardCharacters(text: string): number {
  return text
    .split(/[\r\n]+/)
    .map((line) => (line.includes('*') ? line.length - line.indexOf('*') : 0))
    .reduce((sum, length) => sum + length, 0);
}

export class Robots {
  readonly #read: (url: URL) => Promise<RobotsAnswer>;
  readonly #sites = new Map<string, Promise<SiteRules>>();

  /** @param read fetches robots.txt; what it throws holds for all pages of the site */
  constructor(read: (url: URL) => Promise<RobotsAnswer>) {
    this.#read = read;
  }

  /** The rules for a page's site. @throws what reading them threw */
  rulesFor(page: URL): Promise<SiteRules> {
    const known = this.#sites.get(page.origin);
    if (known) return known;
    const url = new URL('/robots.txt', page.origin);
    const rules = this.#read(url).then((answer) => rulesFrom(url, answer));
    this.#sites.set(page.origin, rules);
    return rules;
  }
}
