/**
 * Word documents (.docx): their text with headings, lists and tables.
 */
import { extraction } from '../extraction/extraction.ts';
import type { ReadItem, WholeReader } from './reader.ts';

export const docxReader: WholeReader = {
  streamed: false,
  async read(bytes, { name, signal }): Promise<ReadItem[]> {
    const { title, text, fields } = await extraction.extract('docx', bytes, signal);
    return [{ document: { title: title ?? name, text, verbatim: false, fields } }];
  },
};
