/** The interface of file readers: bytes in, documents and problems out. */
import type { DocumentFields } from '../../../core/text/fields.ts';
import type { Section } from '../../../core/split/headings.ts';

/** Why a file or folder is not part of the corpus although it should be. */
export type SkipReason =
  | 'binary'
  | 'broken'
  | 'changing'
  | 'empty'
  | 'encoding'
  | 'encrypted'
  | 'missing'
  | 'outside'
  | 'report'
  | 'symlink-loop'
  | 'too-large'
  | 'unreadable'
  | 'vectors';

/** Thrown by readers: the file as a whole cannot be used. The message is a sentence about "it", the file. */
export class FileSkipped extends Error {
  override readonly name = 'FileSkipped';
  readonly reason: SkipReason;

  constructor(reason: SkipReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}

/** Something wrong within a file whose rest was read. */
export interface FileProblem {
  /** From 0, where it is known. */
  readonly line?: number | undefined;
  readonly message: string;
}

/** A document as its reader sees it, before it has an id that is unique in the corpus. */
export interface DraftDocument {
  readonly title: string;
  readonly text: string;
  readonly verbatim: boolean;
  readonly fields?: DocumentFields | undefined;
  /** Where the text is that of pages: ascending, together all of it. */
  readonly pages?: readonly Section[] | undefined;
  /** Set for the records of a file. */
  readonly record?: DraftRecord | undefined;
}

export interface DraftRecord {
  /** The record's own id, where it has one. */
  readonly id?: string | undefined;
  /** From 1; records that could not be read count as well, so that the numbers of the others stay. */
  readonly number: number;
  /** Line of the file, from 0, on which it begins, where that is known. */
  readonly line?: number | undefined;
}

export type ReadItem = { readonly document: DraftDocument } | { readonly problem: FileProblem };

/** Which fields of records hold what: names, or paths with dots such as `metadata.body`. */
export interface RecordFields {
  readonly textField?: string | undefined;
  readonly idField?: string | undefined;
}

export interface ReadContext extends RecordFields {
  /** File name with its extension. */
  readonly name: string;
  /** The user named the file or its text field: records with vectors and reports of Parallax are documents, then. */
  readonly isNamed: boolean;
  /** A single record may not be longer than this. */
  readonly maxRecordBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reads a file as a whole. */
export interface WholeReader {
  readonly streamed: false;
  /** @throws FileSkipped, or anything else that a parser throws at a broken file */
  read(bytes: Buffer, context: ReadContext): Promise<Iterable<ReadItem>> | Iterable<ReadItem>;
}

/** Reads a file of records piece by piece, so that its size does not matter. */
export interface StreamedReader {
  readonly streamed: true;
  /**
   * @param chunks the file's bytes in order
   * @param encoding of the whole file, by a name that `iconv-lite` knows
   */
  read(chunks: AsyncIterable<Buffer>, encoding: string, context: ReadContext): AsyncIterable<ReadItem>;
  /** Whether an encoding that nobody can name matters: records that are decoded one by one do without. */
  readonly decodesRecords: boolean;
}

export type Reader = WholeReader | StreamedReader;
