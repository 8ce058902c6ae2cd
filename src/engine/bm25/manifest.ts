/**
 * The list of segment files that make up the index. Replacing it is the moment from which a new segment counts, or
 * replaces those it was merged from.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { writeDurably } from '../files/durable-file.ts';

const MANIFEST_FILE = 'segments.json';

const manifestSchema = z.strictObject({
  /** Number of the next segment file. */
  next: z.number().int().min(1),
  segments: z
    .array(z.string().regex(/^segment-\d+\.bm25$/))
    .refine((names) => new Set(names).size === names.length, 'a segment is named twice'),
});
export type Manifest = Read<typeof manifestSchema>;

const EMPTY: Manifest = { next: 1, segments: [] };

/** @returns the manifest, an empty one if there is none, or undefined if it is damaged */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  let content: string;
  try {
    content = await readFile(path.join(folder, MANIFEST_FILE), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return EMPTY;
    throw error;
  }
  const [json = '', checksum, ...rest] = content.split('\n');
  if (checksum !== checksumOf(json) || rest.join('') !== '') return undefined;
  return manifestSchema.safeParse(JSON.parse(json)).data;
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const json = JSON.stringify(manifest);
  await writeDurably(path.join(folder, MANIFEST_FILE), async (handle) => {
    await handle.writeFile(`${json}\n${checksumOf(json)}\n`);
  });
}

const checksumOf = (json: string): string => crc32(json).toString(16).padStart(8, '0');
