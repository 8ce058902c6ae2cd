/**
 * Checksums over what a row hands out. SQLite has none of its own: a byte that changed within a value, or in a
 * pointer between two pages, is read as if it had been written so.
 */
import { crc32 } from 'node:zlib';
import type { NewPassage } from '../types.ts';

/** Common to all passages of a document. */
export interface DocumentFacts {
  readonly path: string;
  readonly name: string;
  readonly title: string;
  readonly verbatim: boolean;
  readonly recordLine?: number | undefined;
  /** As JSON. */
  readonly fields?: string | undefined;
}

/** Seed of the checksums of a document's passages. */
export function documentChecksum(document: DocumentFacts): number {
  const { path, name, title, verbatim, recordLine, fields } = document;
  const facts = [path, name, title, verbatim, recordLine];
  // As it was before documents had fields, so that the rows of that time still read.
  return crc32(JSON.stringify(fields === undefined ? facts : [...facts, fields]));
}

/**
 * Of everything that stands in a passage's row.
 *
 * @param document {@link documentChecksum}
 * @param text `textChecksum` (text-sums.ts)
 */
export function passageChecksum(
  { id, section, span, lines }: Omit<NewPassage, 'text'>,
  hash: string,
  document: number,
  text: number,
): number {
  const places = `${span.start} ${span.end} ${lines.startLine} ${lines.endLine}`;
  return crc32(`${id}\0${section ?? ''}\0${places}\0${hash}`, (document ^ text) >>> 0);
}

/** A text with its checksum before it, to be kept where nothing else guards it. */
export function sealed(text: string): string {
  return `${crc32(text).toString(16)} ${text}`;
}

/**
 * The text of {@link sealed}.
 *
 * @returns undefined if it is damaged
 */
export function unsealed(text: string): string | undefined {
  const content = text.slice(text.indexOf(' ') + 1);
  return sealed(content) === text ? content : undefined;
}
