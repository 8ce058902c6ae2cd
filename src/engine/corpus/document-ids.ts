/**
 * Ids of documents, unique within a corpus.
 */
import * as l10n from '@vscode/l10n';
import type { ExtractedDocument } from '../types.ts';
import type { DraftDocument, FileProblem } from './readers/reader.ts';
import { recordProblem } from './readers/records.ts';

/** The path of the file that a stored document comes from. `undefined` if the id is free. */
export type OwnerOf = (documentId: string) => string | undefined;

export interface IdentifiedDocument {
  readonly document: ExtractedDocument;
  /** Set if the record's own id was taken. */
  readonly problem?: FileProblem;
}

/**
 * The preferred id of a document: a record's own, else its file's path, with `#n` for the n-th record.
 *
 * @param relativePath of the file, as in `FoundFile`
 */
export function preferredId(draft: DraftDocument, relativePath: string): string {
  return draft.record?.id ?? numberedId(draft, relativePath);
}

/** The id without the record's own, also used if that is taken. */
export function numberedId(draft: DraftDocument, relativePath: string): string {
  return draft.record ? `${relativePath}#${draft.record.number}` : relativePath;
}

/** Assigns ids in one scan. The first document that asks for an id gets it. */
export class DocumentIds {
  readonly #ownerOf: OwnerOf;
  #given = new Set<string>();

  constructor(ownerOf: OwnerOf) {
    this.#ownerOf = ownerOf;
  }

  /** Ids for one reading of a file. They are reserved when the reading is kept. */
  forFile(file: IdentifiedFile): FileDocumentIds {
    const isTaken = (id: string) => {
      const owner = this.#ownerOf(id);
      return this.#given.has(id) || (owner !== undefined && owner !== file.path);
    };
    return new FileDocumentIds(file, isTaken, (ids) => this.#give(ids));
  }

  /** Adds the smaller set to the larger, so that a million ids of a file are not copied. */
  #give(ids: Set<string>): void {
    const [many, few] = ids.size > this.#given.size ? [ids, this.#given] : [this.#given, ids];
    for (const id of few) many.add(id);
    this.#given = many;
  }
}

interface IdentifiedFile {
  readonly path: string;
  readonly relativePath: string;
}

export class FileDocumentIds {
  readonly #file: IdentifiedFile;
  readonly #isTaken: (id: string) => boolean;
  readonly #give: (ids: Set<string>) => void;
  readonly #own = new Set<string>();

  constructor(file: IdentifiedFile, isTaken: (id: string) => boolean, give: (ids: Set<string>) => void) {
    this.#file = file;
    this.#isTaken = isTaken;
    this.#give = give;
  }

  identify(draft: DraftDocument): IdentifiedDocument {
    const preferred = preferredId(draft, this.#file.relativePath);
    const id = this.#claim(preferred, numberedId(draft, this.#file.relativePath));
    const { title, text, verbatim, fields, pages, record } = draft;
    const document = {
      id,
      title,
      text,
      verbatim,
      ...(fields ? { fields } : {}),
      ...(pages ? { pages } : {}),
      recordLine: record?.line,
      isRecord: record !== undefined,
    };
    if (id === preferred || !record) return { document };
    return {
      document,
      problem: recordProblem(
        record,
        () => l10n.t`the id "${preferred}" is taken, so this record is called "${id}".`,
      ),
    };
  }

  /** Keeps the finished reading, so that no other file gets its ids. */
  keep(): void {
    this.#give(this.#own);
  }

  #claim(preferred: string, numbered: string): string {
    let id = preferred;
    for (let n = 1; this.#own.has(id) || this.#isTaken(id); n++) id = n === 1 ? numbered : `${numbered}~${n}`;
    this.#own.add(id);
    return id;
  }
}
