/** Messages between the engine and the process that extracts text from documents. */
import type { DocumentFields } from '../../../core/text/fields.ts';
import type { SkipReason } from '../readers/reader.ts';

/**
 * Formats that pack much into little, or whose parsers a document may keep busy, or fill with data, at will. HTML is
 * in UTF-8; of a web page the main content is wanted. Parquet becomes JSON Lines.
 */
export type PackedFormat = 'pdf' | 'docx' | 'html' | 'web-page' | 'parquet';

export interface ExtractRequest {
  readonly id: number;
  readonly format: PackedFormat;
  readonly bytes: Uint8Array;
}

/** Text and title of a document; the title is absent where the document has none of its own. */
export interface ExtractedText {
  readonly title: string | undefined;
  readonly text: string;
  /** Where each page begins; absent where there are none. */
  readonly pageStarts?: readonly number[];
  /** The document's own fields; absent where it has none, and where the reader looks for them. */
  readonly fields?: DocumentFields | undefined;
}

export type ExtractAnswer = {
  readonly id: number;
  /** So much memory is taken that the next document should have a process of its own. */
  readonly full: boolean;
} & (
  | { readonly extracted: ExtractedText }
  /** As `FileSkipped`, which does not cross a process border as itself. */
  | { readonly skipped: { readonly reason: SkipReason; readonly message: string } }
);
