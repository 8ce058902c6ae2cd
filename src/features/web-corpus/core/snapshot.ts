/**
 * A snapshot of web pages: a folder with a BEIR corpus (`corpus.jsonl`, one page per line, with its URL as id) and a
 * manifest of searches and pages with their results and times. Both are append-only.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { listOf } from '../../../core/formats/lists.ts';

/** Folder of a workspace for its snapshots. */
export const WEB_FOLDER = '.parallax/web';
export const SNAPSHOT_PAGES = 'corpus.jsonl';
export const SNAPSHOT_MANIFEST = 'web-manifest.jsonl';

export const WEB_SKIP_REASONS = [
  'address',
  'broken',
  'content-type',
  'duplicate',
  'empty',
  'rate-limit',
  'redirects',
  'robots',
  'status',
  'timeout',
  'too-large',
  'unreachable',
  'url',
] as const;
/** Why a found page is not in the snapshot. */
export type WebSkipReason = (typeof WEB_SKIP_REASONS)[number];

/** A page in `corpus.jsonl`. */
export const pageRecordSchema = z.object({ _id: z.string(), title: z.string(), text: z.string() });
export type PageRecord = Read<typeof pageRecordSchema>;

/** A query sent to a provider, and its results. */
const searchLine = z.object({
  type: z.literal('search'),
  queryId: z.string(),
  query: z.string(),
  provider: z.string(),
  /** The number of requested results. Fewer may have been found. */
  wanted: z.number().int(),
  results: listOf(z.object({ rank: z.number().int(), url: z.string(), title: z.string() })),
  at: z.string(),
});
const pageLine = z.object({
  type: z.literal('page'),
  url: z.string(),
  /** The URL after redirects. */
  finalUrl: z.string(),
  status: z.number().int(),
  contentType: z.string(),
  /** Size of the decompressed body. */
  bytes: z.number().int(),
  /** SHA-256 of title and text in the corpus, hexadecimal. */
  hash: z.string(),
  at: z.string(),
});
const skippedLine = z.object({
  type: z.literal('skipped'),
  url: z.string(),
  reason: z.enum(WEB_SKIP_REASONS),
  message: z.string(),
  /** The page of the snapshot with the same text. */
  twin: z.string().optional(),
  /** Whether the reason may be temporary. */
  passing: z.boolean(),
  at: z.string(),
});
const headerLine = z.object({ type: z.literal('snapshot'), version: z.literal(1) });
const manifestLineSchema = z.discriminatedUnion('type', [headerLine, searchLine, pageLine, skippedLine]);
export type ManifestLine = Read<typeof manifestLineSchema>;
export type SearchLine = Read<typeof searchLine>;
export type PageLine = Read<typeof pageLine>;
export type SkippedLine = Read<typeof skippedLine>;

/** The state that a manifest describes. The last line about the same thing counts. */
export class Manifest {
  readonly #searches = new Map<string, SearchLine>();
  readonly #pages = new Map<string, PageLine | SkippedLine>();

  add(line: ManifestLine): void {
    if (line.type === 'search') this.#searches.set(searchKey(line.provider, line.query), line);
    else if (line.type !== 'snapshot') this.#pages.set(line.url, line);
  }

  /** An earlier search for at least as many results. */
  search(provider: string, query: string, count: number): SearchLine | undefined {
    const search = this.#searches.get(searchKey(provider, query));
    return search && search.wanted >= count ? search : undefined;
  }

  page(url: string): PageLine | undefined {
    const line = this.#pages.get(url);
    return line?.type === 'page' ? line : undefined;
  }

  skipped(url: string): SkippedLine | undefined {
    const line = this.#pages.get(url);
    return line?.type === 'skipped' ? line : undefined;
  }

  /** The pages in the corpus, in order of arrival. */
  get pages(): PageLine[] {
    return [...this.#pages.values()].filter((line) => line.type === 'page');
  }

  /** The distinct questions that were searched for. */
  get questions(): string[] {
    return [...new Set([...this.#searches.values()].map(({ query }) => query.trim()))];
  }

  /**
   * The pages of the corpus that any search found for a question. Pages that were left out as duplicates are replaced
   * by the page with the same text.
   *
   * @returns `undefined` if the question was not searched for
   */
  pagesFor(question: string): string[] | undefined {
    const searches = [...this.#searches.values()].filter(({ query }) => query.trim() === question.trim());
    if (searches.length === 0) return undefined;
    const urls = searches.flatMap(({ results }) => results.map(({ url }) => this.skipped(url)?.twin ?? url));
    return [...new Set(urls)].filter((url) => this.page(url));
  }

  /** Removes a page whose text is missing from the corpus, or is not what was fetched. */
  forget(url: string): void {
    this.#pages.delete(url);
  }
}

/**
 * @param text whole lines
 * @param file named in errors
 * @throws ParallaxError `bad-file`
 */
export function parseManifest(text: string, file: string): Manifest {
  const manifest = new Manifest();
  for (const [index, line] of text.split('\n').entries())
    if (line.trim() !== '') manifest.add(parseLine(line, `${file}, line ${index + 1}`));
  return manifest;
}

function parseLine(line: string, where: string): ManifestLine {
  const { data, error } = manifestLineSchema.safeParse(parseJson(line));
  if (data) return data;
  throw new ParallaxError(
    'bad-file',
    l10n.t`${where}: this is not the manifest of a snapshot that this version of Parallax can read. Fetch into another folder.`,
    { cause: error },
  );
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Half a line, or a wrong edit, which matches no schema.
    return undefined;
  }
}

function searchKey(provider: string, query: string): string {
  return `${provider} ${query}`;
}
