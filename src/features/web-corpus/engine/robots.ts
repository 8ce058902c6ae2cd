/** Reads the robots.txt of each site once (RFC 9309). */
import { readRobots } from '../core/robots-rules.ts';
import { ROBOT_NAME } from './pinned-client.ts';

/** Larger files are refused (RFC 9309, 2.5, allows truncating them there). */
export const MAX_ROBOTS_BYTES = 512 * 1024;

/** A limit, since a file may ask for any number, even infinity. */
const LONGEST_DELAY_SECONDS = 24 * 60 * 60;

export interface SiteRules {
  allows(url: URL): boolean;
  /** The pause between two requests that the site asks for. */
  readonly delayMs: number;
  /** Whether nothing is allowed for now, because the rules could not be read. */
  readonly isClosed: boolean;
}

/** An answer to the request for robots.txt, after redirects. */
export interface RobotsAnswer {
  readonly status: number;
  readonly text: string;
}

const NO_RULES: SiteRules = { allows: () => true, delayMs: 0, isClosed: false };
/** The rules of a server that is failing or busy, so that they are unknown. */
const CLOSED: SiteRules = { allows: () => false, delayMs: 0, isClosed: true };

function rulesFrom({ status, text }: RobotsAnswer): SiteRules {
  if (status === 429 || status >= 500) return CLOSED;
  if (status < 200 || status >= 300) return NO_RULES;
  const rules = readRobots(text, ROBOT_NAME);
  if (!rules) return CLOSED;
  return {
    allows: (page) => rules.allows(page.pathname + page.search),
    delayMs: Math.min(Math.max(0, rules.delay ?? 0), LONGEST_DELAY_SECONDS) * 1000,
    isClosed: false,
  };
}

export class Robots {
  readonly #read: (url: URL) => Promise<RobotsAnswer>;
  readonly #sites = new Map<string, Promise<SiteRules>>();

  /** @param read fetches robots.txt; its errors apply to all pages of the site */
  constructor(read: (url: URL) => Promise<RobotsAnswer>) {
    this.#read = read;
  }

  /** The rules for a page's site. @throws what reading them threw */
  rulesFor(page: URL): Promise<SiteRules> {
    const known = this.#sites.get(page.origin);
    if (known) return known;
    const rules = this.#read(new URL('/robots.txt', page.origin)).then(rulesFrom);
    this.#sites.set(page.origin, rules);
    return rules;
  }
}
