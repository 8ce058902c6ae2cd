/** Temporary folders with files, and a scan of them with all results. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import {
  scanCorpus,
  type KnownFile,
  type ScanEvent,
  type ScanOptions,
} from '../../../src/engine/corpus/scan.ts';
import type { Written } from '../../../src/core/read.ts';
import type { ExtractedDocument } from '../../../src/engine/types.ts';
import { corpusSchema } from '../../../src/shared/config.ts';

export const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/corpus');

export type Files = Readonly<Record<string, string | Buffer>>;

/** A new folder with these files, removed after the test. */
export async function folderWith(t: TestContext, files: Files): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'parallax-corpus-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await addFiles(folder, files);
  return folder;
}

export async function addFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

type Event<T extends ScanEvent['type']> = Extract<ScanEvent, { type: T }>;

/** The stored files after the scan, and all its events. */
export interface Scanned {
  readonly events: readonly ScanEvent[];
  readonly documents: ReadonlyMap<string, ExtractedDocument>;
  readonly known: ReadonlyMap<string, KnownFile>;
  of<T extends ScanEvent['type']>(type: T): Event<T>[];
  /** `name: reason` of all skipped files, by base name. */
  readonly reasons: Readonly<Record<string, string>>;
}

type ConfigInput = Partial<Written<typeof corpusSchema>>;

export async function scan(
  base: string,
  config: ConfigInput = {},
  options: Partial<ScanOptions> = {},
): Promise<Scanned> {
  const parsed = corpusSchema.parse({ roots: ['.'], ...config });
  const known = new Map(options.known);
  const documents = new Map<string, ExtractedDocument>();
  const events: ScanEvent[] = [];
  let open: { known: KnownFile; documents: ExtractedDocument[] } | undefined;
  for await (const event of scanCorpus(parsed, { base, excludeGlobs: [], known: new Map(), ...options })) {
    events.push(event);
    if (event.type === 'file-start') open = { known: event, documents: [] };
    if (event.type === 'documents') open?.documents.push(...event.documents);
    if (event.type === 'deleted') known.delete(event.path);
    if (event.type === 'file-end' && open) {
      for (const document of open.documents) documents.set(document.id, document);
      const { size, mtimeMs, ctimeMs, hash } = open.known;
      known.set(event.path, { size, mtimeMs, ctimeMs, hash });
    }
  }
  const of = <T extends ScanEvent['type']>(type: T) =>
    events.filter((event): event is Event<T> => event.type === type);
  const reasons = Object.fromEntries(of('skipped').map((event) => [path.basename(event.path), event.reason]));
  return { events, documents, known, of, reasons };
}
