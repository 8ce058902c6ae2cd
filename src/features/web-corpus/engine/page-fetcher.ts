/** Fetches pages one by one: politely, within limits, and only from the public web. */
import { readPageUrl } from '../core/page-url.ts';
import type { WebSkipReason } from '../core/snapshot.ts';
import type { Extraction } from '../../../engine/corpus/extraction/extraction.ts';
import { retryAfterMs } from '../../../engine/network/retry-after.ts';
import { systemTiming, type Timing } from '../../../engine/models/retry.ts';
import { HostGate } from './host-gate.ts';
import { PageSkipped } from './page-skipped.ts';
import { PAGE_TYPES, parseContentType, readPage, type ContentType, type PageText } from './page-text.ts';
import {
  PinnedClient,
  type Answer,
  type AnswerHead,
  type ClientOptions,
  type GetOptions,
} from './pinned-client.ts';
import { MAX_ROBOTS_BYTES, Robots, type RobotsAnswer, type SiteRules } from './robots.ts';

export interface FetchLimits {
  /** The most bytes of one page, decompressed. */
  readonly maxBytes: number;
  /** For one request, from resolving the name to the last byte. */
  readonly timeoutMs: number;
  /** Between two requests to a host, unless it asks for more. */
  readonly pauseMs: number;
}

const FETCH_LIMITS: FetchLimits = { maxBytes: 5 * 1024 * 1024, timeoutMs: 20_000, pauseMs: 1_000 };

export interface FetcherOptions extends ClientOptions {
  readonly limits?: Partial<FetchLimits> | undefined;
  readonly timing?: Timing | undefined;
  /** Extracts text from pages. Defaults to a process with the usual limits. */
  readonly extraction?: Extraction | undefined;
}

export interface FetchedPage extends PageText {
  /** The address after redirects. */
  readonly finalUrl: string;
  readonly status: number;
  readonly contentType: string;
  /** The bytes of the body, decompressed. */
  readonly bytes: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** The most further requests if a server is busy. */
const RETRIES = 2;
/** A server that asks for a longer wait is not asked again. */
const LONGEST_WAIT_MS = 60_000;
/** The wait if a busy server states none. */
const USUAL_WAIT_MS = 5_000;
/** Reasons for which a failed request for robots.txt means that the page fails, too. */
const WITHOUT_SERVER: readonly WebSkipReason[] = ['address', 'timeout', 'unreachable'];
const ACCEPT = `${PAGE_TYPES.join(', ')};q=0.9`;

/** For one run: the rules of a site are requested once and kept. */
export class PageFetcher {
  readonly #client: PinnedClient;
  readonly #limits: FetchLimits;
  readonly #timing: Timing;
  readonly #gate: HostGate;
  readonly #robots: Robots;
  readonly #extraction: Extraction | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(
    { limits, timing = systemTiming, extraction, ...client }: FetcherOptions,
    signal: AbortSignal | undefined,
  ) {
    this.#client = new PinnedClient(client);
    this.#limits = { ...FETCH_LIMITS, ...limits };
    this.#timing = timing;
    this.#gate = new HostGate(timing);
    this.#robots = new Robots((url) => this.#readRobots(url));
    this.#extraction = extraction;
    this.#signal = signal;
  }

  /** @throws PageSkipped, ParallaxError `cancelled` */
  async fetch(address: string): Promise<FetchedPage> {
    const { url, answer } = await this.#follow(this.#allowed(address), async (at) => {
      const { delayMs } = await this.#permission(at);
      return this.#patiently(at, delayMs, {
        accept: ACCEPT,
        maxBytes: this.#limits.maxBytes,
        wantsBody: isReadablePage,
      });
    });
    const { status, headers, body } = answer;
    if (status !== 200)
      throw new PageSkipped('status', `Its server answered ${status}.`, { passing: status >= 500 });
    const content = contentTypeOf(answer);
    return {
      ...(await readPage(body, content, this.#signal, this.#extraction)),
      finalUrl: url.href,
      status,
      contentType: headers.get('content-type') ?? '',
      bytes: body.length,
    };
  }

  #allowed(address: string, base?: URL): URL {
    const page = readPageUrl(address, this.#client.reach, base);
    if ('url' in page) return page.url;
    throw new PageSkipped('url', base ? `It leads to ${address}. ${page.refused}` : page.refused);
  }

  /** Checks every address of a redirect like the first one. */
  async #follow(
    start: URL,
    get: (url: URL) => Promise<Answer>,
  ): Promise<{ readonly url: URL; readonly answer: Answer }> {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await get(url);
      const location = answer.headers.get('location');
      if (!REDIRECTS.includes(answer.status) || location === null) return { url, answer };
      url = this.#allowed(location, url);
    }
    throw new PageSkipped('redirects', `It leads to more than ${MAX_REDIRECTS} other addresses in a row.`);
  }

  /** @throws PageSkipped `robots` if it is not allowed */
  async #permission(url: URL): Promise<SiteRules> {
    const rules = await this.#robots.rulesFor(url);
    if (!rules.allows(url))
      throw new PageSkipped('robots', `robots.txt of ${url.host} does not allow it.`, {
        passing: rules.isClosed,
      });
    if (rules.delayMs > LONGEST_WAIT_MS)
      throw new PageSkipped(
        'robots',
        `robots.txt of ${url.host} asks for ${rules.delayMs / 1000} s between two pages.`,
      );
    return rules;
  }

  async #readRobots(robots: URL): Promise<RobotsAnswer> {
    try {
      const { answer } = await this.#follow(robots, (url) =>
        this.#once(url, 0, { accept: 'text/plain', maxBytes: MAX_ROBOTS_BYTES, wantsBody: hasSucceeded }),
      );
      return { status: answer.status, text: answer.body.toString('utf8') };
    } catch (error) {
      if (!(error instanceof PageSkipped) || WITHOUT_SERVER.includes(error.reason)) throw error;
      const { message, passing } = error;
      throw new PageSkipped('robots', `robots.txt of ${robots.host} cannot be read: ${message}`, {
        passing,
        cause: error,
      });
    }
  }

  /** Waits as long as a busy server asks, and tries again. */
  async #patiently(url: URL, delayMs: number, options: PageRequest): Promise<Answer> {
    const pauseMs = Math.max(this.#limits.pauseMs, delayMs);
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#once(url, pauseMs, options);
      if (answer.status !== 429 && answer.status !== 503) return answer;
      const wait = retryAfterMs(answer.headers, this.#timing.now()) ?? USUAL_WAIT_MS;
      if (attempt >= RETRIES || wait > LONGEST_WAIT_MS)
        throw new PageSkipped(
          'rate-limit',
          `Its server is busy (${answer.status}) and asks to come back later.`,
          {
            passing: true,
          },
        );
      this.#gate.holdBack(url.hostname, wait);
    }
  }

  /** Sends one request when it is this host's turn. */
  #once(url: URL, pauseMs: number, options: PageRequest): Promise<Answer> {
    const { timeoutMs } = this.#limits;
    return this.#gate.turn(url.hostname, pauseMs, this.#signal, () =>
      this.#client.get(url, { ...options, timeoutMs, signal: this.#signal }),
    );
  }
}

type PageRequest = Pick<GetOptions, 'accept' | 'maxBytes' | 'wantsBody'>;

const hasSucceeded = ({ status }: AnswerHead): boolean => status >= 200 && status < 300;

/** @throws PageSkipped `content-type` before an unreadable type is downloaded */
function isReadablePage(head: AnswerHead): boolean {
  if (head.status !== 200) return false;
  contentTypeOf(head);
  return true;
}

function contentTypeOf({ headers }: AnswerHead): ContentType {
  const header = headers.get('content-type');
  const content = parseContentType(header);
  if (content) return content;
  throw new PageSkipped(
    'content-type',
    `It is ${header ?? 'of an unknown type'}, not HTML, plain text or PDF.`,
  );
}
