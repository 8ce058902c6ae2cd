/** Requests and results of fetching a corpus from the web. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { searchSettingsSchema } from '../core/search.ts';
import { WEB_FOLDER, WEB_SKIP_REASONS, type WebSkipReason } from '../core/snapshot.ts';

/** Name of a snapshot's folder in a workspace. */
export const snapshotNameSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,79}$/i);

export const fetchWebSchema = z.object({
  queries: z.array(z.object({ id: z.string(), text: z.string().min(1) })).min(1),
  search: searchSettingsSchema,
  /** The folder of the snapshot, absolute or relative to that of parallax.json. */
  folder: z.string().min(1),
});

/** The folder of a snapshot, relative to the workspace. */
export function snapshotFolder(name: Read<typeof snapshotNameSchema>): string {
  return `${WEB_FOLDER}/${snapshotNameSchema.parse(name)}`;
}

const count = z.number().int().min(0);

/** The outcome. Pages that several queries found count once. */
export const webReportSchema = z.object({
  queries: count,
  /** Queries whose results were already in the snapshot. */
  searchesKept: count,
  /** Queries whose search failed. */
  searchesFailed: z.array(z.object({ query: z.string(), message: z.string() })),
  /** Distinct pages found. */
  found: count,
  fetched: count,
  /** Pages that were already in the snapshot. */
  kept: count,
  skipped: z.array(z.object({ url: z.string(), reason: z.enum(WEB_SKIP_REASONS), message: z.string() })),
  /** Bytes received in this run, decompressed. */
  bytes: count,
  /** Pages of an earlier run whose text was changed or lost. They were fetched again. */
  damaged: count,
  /** Equal fingerprints mean that all pages of the snapshots are equal. */
  fingerprint: z.string(),
});
export type WebReport = Read<typeof webReportSchema>;

/**
 * A snapshot name from the path of an eval set or from a question.
 *
 * @returns a name that {@link snapshotNameSchema} accepts
 */
export function snapshotNameFor(text: string): string {
  const last = text.slice(text.lastIndexOf('/') + 1).replace(/(?:\.parallax)?\.jsonl$/i, '');
  const words = last
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-|-$/g, '');
  return words === '' ? 'web' : words;
}

/** The number of skipped pages for each reason, most frequent first. */
export function skippedByReason({
  skipped,
}: Pick<WebReport, 'skipped'>): [reason: WebSkipReason, pages: number][] {
  const counts = Map.groupBy(skipped, ({ reason }) => reason);
  return [...counts]
    .map(([reason, pages]): [WebSkipReason, number] => [reason, pages.length])
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
}
