/** Messages between the engine and the process that extracts text from documents. */
import type { DocumentFields } from '../../../core/text/fields.ts';
import type { SkipReason } from '../readers/reader.ts';

/**
 * Formats whose content can be far larger than the file, or whose parsers a document can keep busy or fill with data.
 * HTML is in UTF-8; for `web-page`, the main content is extracted. Parquet becomes JSON Lines.
 */
export type PackedFormat = 'pdf' | 'docx' | 'html' | 'web-page' | 'parquet';

export interface ExtractRequest {
  readonly id: number;
  readonly format: PackedFormat;
  readonly bytes: Uint8Array;
}

/** Text and title of a document. The title is undefined if the document has none. */
export interface ExtractedText {
  readonly title: string | undefined;
  readonly text: string;
  /** Where each page begins. `undefined` if there are no pages. */
  readonly pageStarts?: readonly number[];
  /** The document's own fields. `undefined` if it has none, or if the reader finds them itself. */
  readonly fields?: DocumentFields | undefined;
}

export type ExtractAnswer = {
  readonly id: number;
  /** Whether memory use is too high for another document in this process. */
  readonly full: boolean;
} & (
  | { readonly extracted: ExtractedText }
  /** As `FileSkipped`, which cannot be sent between processes. */
  | { readonly skipped: { readonly reason: SkipReason; readonly message: string } }
);
