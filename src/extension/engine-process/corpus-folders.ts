/**
 * Maps corpora to the folders of their indexes. A renamed corpus keeps its index, because it is recognised by what it
 * reads. Independent of the editor.
 */
import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

const corpusFolderSchema = z.object({
  folder: z.string().min(1),
  name: z.string(),
  /** Names the files that the corpus reads, and how it reads them. */
  identity: z.string(),
});
/** The folder of a corpus, with its name and what it read when it was last configured. */
export type CorpusFolder = Read<typeof corpusFolderSchema>;

/** A corpus of the configuration. */
export type NamedCorpus = Pick<CorpusFolder, 'name' | 'identity'>;

/**
 * Gives every corpus a folder: the folder of its name, else the folder of a removed corpus that read the same files,
 * else a new one.
 *
 * @param known the folders of earlier configurations
 * @returns the folders of the corpora in their order, then unused folders
 */
export function assignFolders(
  known: readonly CorpusFolder[],
  corpora: readonly NamedCorpus[],
): readonly CorpusFolder[] {
  const names = new Set(corpora.map(({ name }) => name));
  const free = known.filter(({ name }) => !names.has(name));
  const usedFolders = new Set(known.map(({ folder }) => folder));
  const assigned = corpora.map(({ name, identity }) => {
    const knownFolder = known.find((each) => each.name === name);
    const renamed = knownFolder ? -1 : free.findIndex((each) => each.identity === identity);
    const [former] = renamed < 0 ? [knownFolder] : free.splice(renamed, 1);
    const folder = former?.folder ?? newFolder(name, usedFolders);
    usedFolders.add(folder);
    return { folder, name, identity };
  });
  return [...assigned, ...free];
}

/** Stores the folders of corpora in a file. If the file cannot be read, folders follow from the names of corpora. */
export class CorpusFolders {
  readonly #file: string;
  readonly #readText: () => Promise<string>;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param file absolute
   * @param readText reads the file
   */
  constructor(file: string, readText: () => Promise<string>) {
    this.#file = file;
    this.#readText = readText;
  }

  /** @returns folder names by the names of the corpora */
  async of(corpora: readonly NamedCorpus[]): Promise<ReadonlyMap<string, string>> {
    const assigning = this.#last.then(() => this.#assign(corpora));
    this.#last = assigning.catch(() => undefined);
    return assigning;
  }

  async #assign(corpora: readonly NamedCorpus[]): Promise<ReadonlyMap<string, string>> {
    const known = await this.#read();
    const folders = assignFolders(known, corpora);
    const text = JSON.stringify(folders);
    if (text !== JSON.stringify(known)) await this.#write(text);
    return new Map(folders.slice(0, corpora.length).map(({ name, folder }) => [name, folder]));
  }

  async #read(): Promise<readonly CorpusFolder[]> {
    const text = await this.#readText().catch(() => '[]');
    try {
      return z.array(corpusFolderSchema).parse(JSON.parse(text));
    } catch {
      return [];
    }
  }

  /** Atomic, because another window may read the file. */
  async #write(text: string): Promise<void> {
    const draft = `${this.#file}.${process.pid}`;
    await writeFile(draft, text);
    await rename(draft, this.#file);
  }
}

/** A folder name for any corpus name: readable, and unique even if two names differ only in replaced characters. */
function newFolder(name: string, usedFolders: ReadonlySet<string>): string {
  const readable = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 40);
  const folder = `${readable}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? folder : `${folder}-${number}`;
    if (!usedFolders.has(candidate)) return candidate;
  }
}
