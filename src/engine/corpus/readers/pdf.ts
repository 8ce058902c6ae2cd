/**
 * PDF: the text layer of every page, pages apart by an empty line.
 */
import { extraction } from '../extraction/extraction.ts';
import type { ReadItem, WholeReader } from './reader.ts';

export const pdfReader: WholeReader = {
  streamed: false,
  async read(bytes, { name, signal }): Promise<ReadItem[]> {
    const { title, text } = await extraction.extract('pdf', bytes, signal);
    return [{ document: { title: title ?? name, text, verbatim: false } }];
  },
};
