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

/** Thrown by readers if the file as a whole cannot be used. The message is a sentence about "it", the file. */
export class FileSkipped extends Error {
  override readonly name = 'FileSkipped';
  readonly reason: SkipReason;

  constructor(reason: SkipReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}

/** A problem within a file whose rest was read. */
export interface FileProblem {
  /** From 0. `undefined` if unknown. */
  readonly line?: number | undefined;
  readonly message: string;
}

/** A document as its reader returns it, before it has an id that is unique in the corpus. */
export interface DraftDocument {
  readonly title: string;
  readonly text: string;
  readonly verbatim: boolean;
  readonly fields?: DocumentFields | undefined;
  /** The pages of the text, ascending and covering all of it. `undefined` if it has none. */
  readonly pages?: readonly Section[] | undefined;
  /** Set for the records of a file. */
  readonly record?: DraftRecord | undefined;
}

export interface DraftRecord {
  /** The record's own id. `undefined` if it has none. */
  readonly id?: string | undefined;
  /** From 1. Records that could not be read count as well, so that the numbers of the others do not change. */
  readonly number: number;
  /** The line of the file on which it begins, from 0. `undefined` if unknown. */
  readonly line?: number | undefined;
}

export type ReadItem = { readonly document: DraftDocument } | { readonly problem: FileProblem };

/** The fields of records with text and id: names, or paths with dots such as `metadata.body`. */
export interface RecordFields {
  readonly textField?: string | undefined;
  readonly idField?: string | undefined;
}

export interface ReadContext extends RecordFields {
  /** File name with its extension. */
  readonly name: string;
  /**
   * Whether the user named the file or its text field. Records with vectors and reports of Parallax then
   * count as documents.
   */
  readonly isNamed: boolean;
  readonly maxRecordBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reads a file as a whole. */
export interface WholeReader {
  readonly streamed: false;
  /** @throws FileSkipped, or what a parser throws for a broken file */
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
  /** Whether records are decoded one by one, so that an unknown encoding of the file does not matter. */
  readonly decodesRecords: boolean;
}

export type Reader = WholeReader | StreamedReader;
