/**
 * The pages that a search provider finds for queries, as a snapshot that is a corpus (BERDS, section 4.2). A repeated
 * run continues where the last one stopped, and repeats neither searches nor existing pages.
 */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { messageOf, ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import { readPageUrl } from '../core/page-url.ts';
import type { SearchSettings } from '../core/search.ts';
import type { SearchLine } from '../core/snapshot.ts';
import type { WebReport } from '../contract/web.ts';
import { runPool } from '../../../engine/concurrency/bounded.ts';
import { systemTiming } from '../../../engine/models/retry.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { PageFetcher, type FetcherOptions } from './page-fetcher.ts';
import { PageSkipped } from './page-skipped.ts';
import { SearchClient, SearchRefused } from './search-client.ts';
import { SnapshotFolder } from './snapshot-folder.ts';

export interface WebCorpusRequest {
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  readonly search: SearchSettings;
  readonly apiKey: string | undefined;
  /** The folder of the snapshot. Created if it is missing. */
  readonly folder: string;
}

/** The number of hosts to ask at once, each for one page. */
const HOSTS_AT_A_TIME = 6;

/**
 * @param options that tests replace: clock, limits, and the reach of the fetcher
 * @throws ParallaxError `bad-file`, `cancelled`; `model-key` or `retriever-failed` if the provider refuses to search
 *   and nothing was found earlier. Keeps what was fetched until then
 */
export async function fetchWebCorpus(
  request: WebCorpusRequest,
  work: WorkOptions = {},
  options: FetcherOptions = {},
): Promise<WebReport> {
  const client = new SearchClient({
    settings: request.search,
    apiKey: request.apiKey,
    timing: options.timing,
  });
  const snapshot = await SnapshotFolder.open(request.folder);
  try {
    return await new WebCorpusRun(request, snapshot, client, work, options).run();
  } finally {
    await snapshot.close();
  }
}

class WebCorpusRun {
  readonly #request: WebCorpusRequest;
  readonly #snapshot: SnapshotFolder;
  readonly #client: SearchClient;
  readonly #work: WorkOptions;
  readonly #options: FetcherOptions;
  readonly #fetcher: PageFetcher;
  readonly #skipped: WebReport['skipped'][number][] = [];
  readonly #searchesFailed: WebReport['searchesFailed'][number][] = [];
  /** Set when the provider refuses to answer. It is not asked again in this run. */
  #refused: SearchRefused | undefined;
  #searchesKept = 0;
  #fetched = 0;
  #kept = 0;
  #bytes = 0;

  constructor(
    request: WebCorpusRequest,
    snapshot: SnapshotFolder,
    client: SearchClient,
    work: WorkOptions,
    options: FetcherOptions,
  ) {
    this.#request = request;
    this.#snapshot = snapshot;
    this.#client = client;
    this.#work = work;
    this.#options = options;
    this.#fetcher = new PageFetcher(options, work.signal);
  }

  async run(): Promise<WebReport> {
    const urls = await this.#searchAll();
    await this.#fetchAll([...urls]);
    return {
      queries: this.#request.queries.length,
      searchesKept: this.#searchesKept,
      searchesFailed: this.#searchesFailed,
      found: urls.size,
      fetched: this.#fetched,
      kept: this.#kept,
      skipped: this.#skipped,
      bytes: this.#bytes,
      damaged: this.#snapshot.damaged,
      fingerprint: this.#snapshot.fingerprint(),
    };
  }

  /** @returns distinct URLs of all queries' results, in the order of queries and ranks */
  async #searchAll(): Promise<Set<string>> {
    const { queries } = this.#request;
    const urls = new Set<string>();
    for (const [index, query] of queries.entries()) {
      throwIfCancelled(this.#work.signal);
      this.#work.onProgress?.({ done: index, total: queries.length, detail: `Searching: ${query.text}` });
      const result = await this.#search(query);
      for (const { url } of result?.results ?? []) urls.add(url);
    }
    if (this.#refused && urls.size === 0) throw this.#refused;
    return urls;
  }

  /** `undefined` for a failed search, whose query is left out. */
  async #search({ id, text }: WebCorpusRequest['queries'][number]): Promise<SearchLine | undefined> {
    const { provider, results } = this.#request.search;
    const known = this.#snapshot.manifest.search(provider, text, results);
    if (known) {
      this.#searchesKept++;
      return known;
    }
    try {
      if (this.#refused) throw this.#refused;
      const hits = await this.#client.search(text, this.#work.signal);
      const line: SearchLine = {
        type: 'search',
        queryId: id,
        query: text,
        provider,
        wanted: results,
        results: hits.map(({ url, title }, index) => ({ rank: index + 1, url: this.#identity(url), title })),
        at: this.#now(),
      };
      await this.#snapshot.add(line);
      return line;
    } catch (error) {
      if (!ParallaxError.is(error, 'retriever-failed') && !(error instanceof SearchRefused)) throw error;
      if (error instanceof SearchRefused) this.#refused = error;
      this.#searchesFailed.push({ query: id, message: messageOf(error) });
      return undefined;
    }
  }

  /** Two spellings of one address are one page. An address that cannot be fetched keeps its spelling. */
  #identity(address: string): string {
    const page = readPageUrl(address, this.#options.reach);
    return 'url' in page ? page.url.href : address;
  }

  async #fetchAll(urls: readonly string[]): Promise<void> {
    const hosts = [...Map.groupBy(urls, hostOf).values()];
    let done = 0;
    await runPool(hosts.length, HOSTS_AT_A_TIME, this.#work.signal, async (index) => {
      for (const url of hosts[index]!) {
        throwIfCancelled(this.#work.signal);
        await this.#take(url);
        done++;
        this.#work.onProgress?.({
          done,
          total: urls.length,
          detail: counted(l10n.t('{0} [0:page|pages] fetched'), this.#fetched),
        });
      }
    });
    throwIfCancelled(this.#work.signal);
  }

  async #take(url: string): Promise<void> {
    const { manifest } = this.#snapshot;
    const skipped = manifest.skipped(url);
    if (manifest.page(url)) this.#kept++;
    else if (skipped && !skipped.passing) this.#leaveOut(skipped);
    else await this.#fetch(url);
  }

  async #fetch(url: string): Promise<void> {
    try {
      const { title, text, ...how } = await this.#fetcher.fetch(url);
      const page = { title, text };
      const twin = this.#snapshot.twinOf(url, page);
      if (twin !== undefined) throw new PageSkipped('duplicate', `Its text is that of ${twin}.`, { twin });
      await this.#snapshot.addPage({ url, ...how, at: this.#now() }, page);
      this.#fetched++;
      this.#bytes += how.bytes;
    } catch (error) {
      if (!(error instanceof PageSkipped)) throw error;
      const { reason, message, twin, passing } = error;
      this.#leaveOut({ url, reason, message });
      await this.#snapshot.add({ type: 'skipped', url, reason, message, twin, passing, at: this.#now() });
    }
  }

  #leaveOut({ url, reason, message }: WebReport['skipped'][number]): void {
    this.#skipped.push({ url, reason, message });
  }

  #now(): string {
    return new Date((this.#options.timing ?? systemTiming).now()).toISOString();
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
