/**
 * Checksums over the values of a row. SQLite has none: it reads a changed byte within a value, or in a pointer
 * between two pages, as if it had been written so.
 */
import { crc32 } from 'node:zlib';
import type { NewPassage } from '../types.ts';

/** What all passages of a document have in common. */
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
  // Without fields, the form used before documents had them, so that older rows can still be read.
  return crc32(JSON.stringify(fields === undefined ? facts : [...facts, fields]));
}

/**
 * The checksum of everything in a passage's row.
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

/** Prefixes a text with its checksum, for storage without any other protection. */
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
