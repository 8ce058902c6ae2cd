/** Search providers: their requests and answers. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { withoutUser } from '../../../core/external/endpoint-url.ts';

export const SEARCH_PROVIDERS = ['serper', 'brave', 'searxng'] as const;
export type SearchProvider = (typeof SEARCH_PROVIDERS)[number];

/** BERDS uses the first hundred (section 4.2). */
export const MAX_RESULTS = 100;
export const DEFAULT_RESULTS = 20;

export const searchSettingsSchema = z
  .strictObject({
    provider: z.enum(SEARCH_PROVIDERS),
    /** Defaults to the provider's URL. SearXNG has none. */
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .refine(...withoutUser)
      .optional(),
    /** The number of pages per query. */
    results: z.number().int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
  })
  .refine(({ provider, baseUrl }) => baseUrl !== undefined || PROVIDERS[provider].baseUrl !== undefined, {
    path: ['baseUrl'],
    error: () => l10n.t('missing: SearXNG needs the address of a server'),
  });
export type SearchSettings = Read<typeof searchSettingsSchema>;

/** A request for one page of results. A key, if there is one, is sent in the provider's `keyHeader`. */
export interface SearchRequest {
  /** Relative to the base URL, without a leading slash. */
  readonly path: string;
  /** Sent as JSON with POST. Without it, the request is a GET. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface SearchHit {
  readonly url: string;
  readonly title: string;
}

interface SearchAnswer {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** A sentence on the failure, if one is the reason for no results. */
  readonly trouble?: string | undefined;
}

interface ProviderSpec {
  readonly label: string;
  readonly baseUrl?: string;
  /** `undefined` if no key is sent. */
  readonly keyHeader?: string;
  /** Results per page, which determines the number of requests per query. */
  readonly perPage: number;
  /** The pause between two requests. */
  readonly pauseMs: number;
  /** @param page from 1 */
  request(query: string, page: number): SearchRequest;
  /** @returns `undefined` if the answer has another form */
  read(answer: unknown): SearchAnswer | undefined;
}

/** Entries that are not pages, such as adverts without a URL, are left out. */
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
    // The free plan allows one request per second.
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

/** The most requests to a provider for one query. */
export function requestsPerQuery({
  provider,
  results,
}: Pick<SearchSettings, 'provider' | 'results'>): number {
  return Math.ceil(results / PROVIDERS[provider].perPage);
}

/** The URL of a request. A base URL may have a path. */
export function searchUrl({ provider, baseUrl }: SearchSettings, { path }: SearchRequest): string {
  const base = baseUrl ?? PROVIDERS[provider].baseUrl!;
  return new URL(path, base.endsWith('/') ? base : `${base}/`).href;
}
