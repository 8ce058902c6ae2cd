/**
 * The folder of a snapshot on disk. A page exists if its text is in the corpus and its line in the manifest. If a
 * crash or an edit leaves only one of them, it is removed at the next opening.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import {
  Manifest,
  pageRecordSchema,
  parseManifest,
  SNAPSHOT_MANIFEST,
  SNAPSHOT_PAGES,
  type ManifestLine,
  type PageLine,
  type PageRecord,
} from '../core/snapshot.ts';
import { writeDurably } from '../../../engine/files/durable-file.ts';
import { ByteLines, type ByteLine } from '../../../engine/files/byte-lines.ts';
import { reasonOf } from '../../../engine/files/file-reason.ts';
import { readInput } from '../../../engine/files/read-input.ts';
import { readChunks } from '../../../engine/files/reading.ts';

export class SnapshotFolder {
  readonly manifest: Manifest;
  /** The number of pages in the manifest whose fetched text is no longer in the corpus. */
  readonly damaged: number;
  readonly #corpus: FileHandle;
  readonly #journal: FileHandle;
  readonly #urlByHash: Map<string, string>;
  /** Keeps the lines of one page together, and every line whole. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(manifest: Manifest, damaged: number, corpus: FileHandle, journal: FileHandle) {
    this.manifest = manifest;
    this.damaged = damaged;
    this.#corpus = corpus;
    this.#journal = journal;
    this.#urlByHash = new Map(manifest.pages.map(({ hash, url }) => [hash, url]));
  }

  /**
   * Opens a snapshot, or creates one in a folder without any.
   *
   * @throws ParallaxError `bad-file` for a folder with another corpus, or one that cannot be written
   */
  static async open(folder: string): Promise<SnapshotFolder> {
    try {
      await mkdir(folder, { recursive: true });
      const pages = path.join(folder, SNAPSHOT_PAGES);
      const journalFile = path.join(folder, SNAPSHOT_MANIFEST);
      const manifest = await readManifest(journalFile, pages);
      const damaged = await reconcile(manifest, pages);
      const journal = await open(journalFile, 'a');
      return new SnapshotFolder(manifest, damaged, await open(pages, 'a'), journal);
    } catch (error) {
      throw unusable(folder, error);
    }
  }

  async addPage(line: Omit<PageLine, 'type' | 'hash'>, page: Omit<PageRecord, '_id'>): Promise<void> {
    const { title, text } = page;
    const record: PageRecord = { _id: line.url, title, text };
    const hash = hashOf(record);
    this.#urlByHash.set(hash, line.url);
    await this.#write(async () => {
      await append(this.#corpus, record);
      await append(this.#journal, { type: 'page', ...line, hash } satisfies PageLine);
    });
    this.manifest.add({ type: 'page', ...line, hash });
  }

  async add(line: ManifestLine): Promise<void> {
    await this.#write(() => append(this.#journal, line));
    this.manifest.add(line);
  }

  /** Another page with the same title and text. */
  twinOf(url: string, { title, text }: Omit<PageRecord, '_id'>): string | undefined {
    const twin = this.#urlByHash.get(hashOf({ title, text }));
    return twin === url ? undefined : twin;
  }

  /** Equal for snapshots of the same pages, whatever their order of arrival. */
  fingerprint(): string {
    const pages = this.manifest.pages.map(({ url, hash }) => `${hash} ${url}\n`).sort();
    return createHash('sha256').update(pages.join('')).digest('hex');
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#corpus.close();
    await this.#journal.close();
  }

  #write(work: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(work).catch((error: unknown) => {
      throw unusable(l10n.t('the snapshot'), error);
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

async function append(file: FileHandle, record: PageRecord | ManifestLine): Promise<void> {
  await file.appendFile(`${JSON.stringify(record)}\n`);
  await file.datasync();
}

function hashOf({ title, text }: Omit<PageRecord, '_id'>): string {
  return createHash('sha256')
    .update(JSON.stringify([title, text]))
    .digest('hex');
}

/** An incomplete last line of a manifest never counted, and is removed. */
async function readManifest(file: string, pages: string): Promise<Manifest> {
  const text = await readInput(file, String).catch((error: unknown) => {
    if (ParallaxError.is(error, 'not-found')) return undefined;
    throw error;
  });
  if (text === undefined) {
    await refuseOtherCorpus(pages);
    await writeDurably(file, (handle) => append(handle, { type: 'snapshot', version: 1 }));
    return new Manifest();
  }
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const manifest = parseManifest(whole, file);
  if (whole.length < text.length) await writeDurably(file, (handle) => handle.writeFile(whole));
  return manifest;
}

async function refuseOtherCorpus(pages: string): Promise<void> {
  if (!existsSync(pages)) return;
  throw new ParallaxError(
    'bad-file',
    l10n.t`${pages} is a corpus that was not fetched from the web. Fetch into another folder.`,
  );
}

/**
 * Removes from the corpus what is not in the manifest, and from the manifest what is not in the corpus.
 *
 * @returns the number of pages removed from the manifest
 */
async function reconcile(manifest: Manifest, file: string): Promise<number> {
  const present = new Set<string>();
  let surplus = false;
  for await (const line of linesOf(file)) {
    const url = acknowledged(line, manifest, present);
    if (url === undefined) surplus = true;
    else present.add(url);
  }
  if (surplus) await rewrite(file, manifest);
  const lost = manifest.pages.filter(({ url }) => !present.has(url));
  for (const { url } of lost) manifest.forget(url);
  return lost.length;
}

async function rewrite(file: string, manifest: Manifest): Promise<void> {
  await writeDurably(file, async (handle) => {
    const present = new Set<string>();
    for await (const line of linesOf(file)) {
      const url = acknowledged(line, manifest, present);
      if (url === undefined) continue;
      present.add(url);
      await handle.appendFile(`${line.text}\n`);
    }
  });
}

/** The page of a line, if the manifest has exactly this one, and only once. */
function acknowledged(
  { text, ended }: CorpusLine,
  manifest: Manifest,
  present: ReadonlySet<string>,
): string | undefined {
  const record = ended ? pageRecordSchema.safeParse(parseJson(text)).data : undefined;
  if (!record || present.has(record._id)) return undefined;
  return manifest.page(record._id)?.hash === hashOf(record) ? record._id : undefined;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Half a line, or a failed edit.
    return undefined;
  }
}

interface CorpusLine {
  readonly text: string;
  /** False for the last line of a file that a crash truncated. */
  readonly ended: boolean;
}

/** Yields nothing if there is no such file. */
async function* linesOf(file: string): AsyncGenerator<CorpusLine> {
  if (!existsSync(file)) return;
  const lines = new ByteLines(Infinity);
  // A line that is too long for a text is not one of ours, and neither is an empty one.
  const textOf = ({ bytes }: ByteLine): string => (bytes === 'too-long' ? '' : bytes.toString('utf8'));
  for await (const chunk of readChunks(file))
    for (const line of lines.of(chunk)) yield { text: textOf(line), ended: true };
  for (const line of lines.rest()) yield { text: textOf(line), ended: false };
}

function unusable(what: string, error: unknown): ParallaxError {
  return ParallaxError.is(error)
    ? error
    : new ParallaxError('bad-file', l10n.t`Cannot write ${what}: ${reasonOf(error)}.`, { cause: error });
}
