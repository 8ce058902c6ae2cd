/** Search providers: what they are asked, and how their answers are read. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import { withoutUser } from '../external/endpoint-url.ts';

export const SEARCH_PROVIDERS = ['serper', 'brave', 'searxng'] as const;
export type SearchProvider = (typeof SEARCH_PROVIDERS)[number];

/** BERDS takes the first hundred (section 4.2). */
export const MAX_RESULTS = 100;
export const DEFAULT_RESULTS = 20;

export const searchSettingsSchema = z
  .strictObject({
    provider: z.enum(SEARCH_PROVIDERS),
    /** The provider's own when left out; SearXNG has none. */
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .refine(...withoutUser)
      .optional(),
    /** Pages wanted for each query. */
    results: z.number().int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
  })
  .refine(({ provider, baseUrl }) => baseUrl !== undefined || PROVIDERS[provider].baseUrl !== undefined, {
    path: ['baseUrl'],
    error: () => l10n.t('missing: SearXNG needs the address of a server'),
  });
export type SearchSettings = Read<typeof searchSettingsSchema>;

/** A request for one page of results; the key, where there is one, goes into `keyHeader` of the provider. */
export interface SearchRequest {
  /** Relative to the base URL, without a leading slash. */
  readonly path: string;
  /** Sent as JSON with POST; GET where it is absent. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface SearchHit {
  readonly url: string;
  readonly title: string;
}

interface SearchAnswer {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** Why nothing was found, where that is a failure: a sentence. */
  readonly trouble?: string | undefined;
}

interface ProviderSpec {
  readonly label: string;
  readonly baseUrl?: string;
  /** Absent where no key is sent. */
  readonly keyHeader?: string;
  /** Results on a page; so many requests are sent for a query as it takes to get enough of them. */
  readonly perPage: number;
  /** Kept between two requests. */
  readonly pauseMs: number;
  /** @param page from 1 */
  request(query: string, page: number): SearchRequest;
  /** @returns nothing where the answer is not of this provider's shape */
  read(answer: unknown): SearchAnswer | undefined;
}

/** Entries that are no pages, such as adverts without an address, are left out. */
const list = z.array(z.unknown()).catch([]);
const serperAnswer = z.object({ organic: list });
const serperHit = z.object({ link: z.string(), title: z.string().catch('') });
const braveAnswer = z.object({
  type: z.literal('search'),
  web: z.object({ results: list }).catch({ results: [] }),
});
const hit = z.object({ url: z.string(), title: z.string().catch('') });
const searxngAnswer = z.object({
  results: z.array(z.unknown()),
  unresponsive_engines: z.array(z.tuple([z.string(), z.string()]).rest(z.unknown())).catch([]),
});

/** The protocols as the providers document them. */
export const PROVIDERS: Readonly<Record<SearchProvider, ProviderSpec>> = {
  serper: {
    label: 'Serper',
    baseUrl: 'https://google.serper.dev',
    keyHeader: 'X-API-KEY',
    perPage: 10,
    pauseMs: 0,
    request: (query, page) => ({ path: 'search', body: { q: query, num: 10, page } }),
    read: (answer) => {
      const { data } = serperAnswer.safeParse(answer);
      return data && { hits: hitsOf(data.organic, serperHit, ({ link, title }) => ({ url: link, title })) };
    },
  },
  brave: {
    label: 'Brave Search',
    baseUrl: 'https://api.search.brave.com',
    keyHeader: 'X-Subscription-Token',
    perPage: 20,
    // The free plan grants one request a second.
    pauseMs: 1_100,
    request: (query, page) => ({
      path: `res/v1/web/search?${new URLSearchParams({ q: query, count: '20', offset: String(page - 1) })}`,
    }),
    read: (answer) => {
      const { data } = braveAnswer.safeParse(answer);
      return data && { hits: hitsOf(data.web.results, hit) };
    },
  },
  searxng: {
    label: 'SearXNG',
    perPage: 10,
    pauseMs: 0,
    request: (query, page) => ({
      path: `search?${new URLSearchParams({ q: query, format: 'json', pageno: String(page) })}`,
    }),
    read: (answer) => {
      const { data } = searxngAnswer.safeParse(answer);
      if (!data) return undefined;
      const hits = hitsOf(data.results, hit);
      const silent = data.unresponsive_engines.map(([engine, reason]) => `${engine} (${reason})`);
      return hits.length === 0 && silent.length > 0
        ? { hits, trouble: l10n.t`SearXNG got no answer from ${silent.join(', ')}.` }
        : { hits };
    },
  },
};

/** Names under which keys of providers are stored. */
export const SEARCH_KEYS: readonly SearchProvider[] = SEARCH_PROVIDERS.filter(
  (provider) => PROVIDERS[provider].keyHeader !== undefined,
);

function hitsOf<T>(
  entries: readonly unknown[],
  schema: z.ZodType<T>,
  toHit: (entry: T) => SearchHit = (entry) => entry as SearchHit,
): SearchHit[] {
  return entries.flatMap((entry) => {
    const { data } = schema.safeParse(entry);
    return data === undefined ? [] : [toHit(data)];
  });
}

/** At most so many requests are sent to a provider for one query. */
export function requestsPerQuery({
  provider,
  results,
}: Pick<SearchSettings, 'provider' | 'results'>): number {
  return Math.ceil(results / PROVIDERS[provider].perPage);
}

/** The URL of a request; a base URL may have a path of its own. */
export function searchUrl({ provider, baseUrl }: SearchSettings, { path }: SearchRequest): string {
  const base = baseUrl ?? PROVIDERS[provider].baseUrl!;
  return new URL(path, base.endsWith('/') ? base : `${base}/`).href;
}
