/**
 * PDF: the text layer of every page, pages apart by an empty line.
 */
import { extraction } from '../extraction/extraction.ts';
import type { ReadItem, WholeReader } from './reader.ts';

export const pdfReader: WholeReader = {
  streamed: false,
  async read(bytes, { name, signal }): Promise<ReadItem[]> {
    const { title, text, fields, pageStarts = [0] } = await extraction.extract('pdf', bytes, signal);
    const pages = pageStarts.map((start, index) => ({
      start,
      end: pageStarts[index + 1] ?? text.length,
      path: `p. ${index + 1}`,
    }));
    return [{ document: { title: title ?? name, text, verbatim: false, pages, fields } }];
  },
};
