/** The parts of a corpus that no query of an eval set reaches, so that the eval set does not test them. */
import * as z from 'zod';
import type { Read } from '../read.ts';

export interface ReachedDocument {
  /** Path relative to the corpus root, with slashes; `#n` for the n-th record of a file. */
  readonly id: string;
  readonly passages: number;
  /** The number of passages within the top k of any query. */
  readonly reached: number;
}

const unreachedPartSchema = z.object({
  /** A document, or a folder (with a trailing slash) or file of records (`path#…`) without reached documents. */
  path: z.string(),
  documents: z.number().int(),
  passages: z.number().int(),
});
type UnreachedPart = Read<typeof unreachedPartSchema>;

export const unreachedSchema = z.object({
  documents: z.number().int(),
  reachedDocuments: z.number().int(),
  passages: z.number().int(),
  reachedPassages: z.number().int(),
  /**
   * Folders and files of records (`path#`) that directly contain documents, by name. The corpus root is the empty name.
   */
  folders: z.array(z.object({ folder: z.string(), documents: z.number().int(), reached: z.number().int() })),
  /** The fewest parts that describe it, with whole folders instead of their documents. Sorted by path. */
  unreached: z.array(unreachedPartSchema),
});
export type Unreached = Read<typeof unreachedSchema>;

/** A document is reached if one of its passages is. */
export function unreachedParts(documents: readonly ReachedDocument[]): Unreached {
  const root = new Branch('');
  for (const document of documents) root.add(document);
  return {
    documents: documents.length,
    reachedDocuments: documents.filter(isReached).length,
    passages: sum(documents.map(({ passages }) => passages)),
    reachedPassages: sum(documents.map(({ reached }) => reached)),
    folders: foldersOf(documents),
    unreached: root.unreached(),
  };
}

const isReached = ({ reached }: ReachedDocument): boolean => reached > 0;

function foldersOf(documents: readonly ReachedDocument[]): Unreached['folders'] {
  const folders = Map.groupBy(documents, ({ id }) => stepsOf(id).slice(0, -1).join(''));
  return [...folders]
    .map(([folder, folderDocuments]) => ({
      folder,
      documents: folderDocuments.length,
      reached: folderDocuments.filter(isReached).length,
    }))
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Splits `a/b.jsonl#3` into `a/`, `b.jsonl#`, `3`, and `notes/C#.md` into `notes/`, `C#.md`. */
function stepsOf(id: string): string[] {
  const name = id.lastIndexOf('/') + 1;
  const folders = id
    .split('/')
    .slice(0, -1)
    .map((folder) => `${folder}/`);
  const record = /#\d+$/u.exec(id.slice(name));
  // A name that is only a record number is not a record.
  const parts =
    record && record.index > 0
      ? [id.slice(name, name + record.index + 1), record[0].slice(1)]
      : [id.slice(name)];
  return [...folders, ...parts];
}

/** A folder, a file of records, or a document. */
class Branch {
  readonly #path: string;
  readonly #branches = new Map<string, Branch>();
  #documents = 0;
  #passages = 0;
  #reached = 0;

  constructor(path: string) {
    this.#path = path;
  }

  add(document: ReachedDocument, steps: readonly string[] = stepsOf(document.id)): void {
    this.#documents++;
    this.#passages += document.passages;
    this.#reached += document.reached;
    const [step, ...rest] = steps;
    if (step === undefined) return;
    const branch = this.#branches.get(step) ?? new Branch(this.#path + step);
    this.#branches.set(step, branch);
    branch.add(document, rest);
  }

  unreached(): UnreachedPart[] {
    if (this.#documents > 0 && this.#reached === 0) return [this.#part];
    return [...this.#branches]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, branch]) => branch.unreached());
  }

  get #part(): UnreachedPart {
    const [only] = this.#branches.values();
    // A folder with one entry is named by that entry.
    if (this.#branches.size === 1) return only!.#part;
    const path = this.#path.endsWith('#') ? `${this.#path}…` : this.#path === '' ? './' : this.#path;
    return { path, documents: this.#documents, passages: this.#passages };
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
