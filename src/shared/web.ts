/** Fetching a corpus from the web, as it crosses process borders. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { searchSettingsSchema } from '../core/web/search.ts';
import { WEB_FOLDER, WEB_SKIP_REASONS, type WebSkipReason } from '../core/web/snapshot.ts';

/** Name of a snapshot's folder in a workspace. */
export const snapshotNameSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,79}$/i);

export const fetchWebSchema = z.object({
  queries: z.array(z.object({ id: z.string(), text: z.string().min(1) })).min(1),
  search: searchSettingsSchema,
  /** The folder of the snapshot; absolute, or relative to that of parallax.json. */
  folder: z.string().min(1),
});

/** Where a workspace keeps the snapshot of a name, relative to it. */
export function snapshotFolder(name: Read<typeof snapshotNameSchema>): string {
  return `${WEB_FOLDER}/${snapshotNameSchema.parse(name)}`;
}

const count = z.number().int().min(0);

/** The outcome. Pages that several queries found count once. */
export const webReportSchema = z.object({
  queries: count,
  /** Queries whose results were in the snapshot already. */
  searchesKept: count,
  /** Queries that could not be searched for. */
  searchesFailed: z.array(z.object({ query: z.string(), message: z.string() })),
  /** Distinct pages found. */
  found: count,
  fetched: count,
  /** Pages that were in the snapshot already. */
  kept: count,
  skipped: z.array(z.object({ url: z.string(), reason: z.enum(WEB_SKIP_REASONS), message: z.string() })),
  /** Received for the pages that were fetched now, decompressed. */
  bytes: count,
  /** Pages of an earlier run whose text was changed or lost since; they were fetched again. */
  damaged: count,
  /** Equal fingerprints mean equal pages throughout the snapshot. */
  fingerprint: z.string(),
});
export type WebReport = Read<typeof webReportSchema>;

/**
 * A name for a snapshot, from the path of an eval set or from a question.
 *
 * @returns what {@link snapshotNameSchema} accepts
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

/** How many pages were skipped for each reason, most first. */
export function skippedByReason({
  skipped,
}: Pick<WebReport, 'skipped'>): [reason: WebSkipReason, pages: number][] {
  const counts = Map.groupBy(skipped, ({ reason }) => reason);
  return [...counts]
    .map(([reason, pages]): [WebSkipReason, number] => [reason, pages.length])
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
}
