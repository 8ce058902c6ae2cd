/** HTML: the text that a reader of the page sees. */
import { metaFields } from '../../../core/likeness/document-fields.ts';
import { decodeText } from '../decode.ts';
import { extraction } from '../extraction/extraction.ts';
import type { ReadItem, WholeReader } from './reader.ts';

export const htmlReader: WholeReader = {
  streamed: false,
  /**
   * Runs in a separate process: for a broken generator's output, the parser takes seconds over 256 kB, and minutes
   * over some megabytes. The transfer takes a seventh of the time for 2 kB, and nothing measurable for 8 kB, so no
   * size is worth an exception.
   */
  async read(bytes, { name, signal }): Promise<ReadItem[]> {
    // The encoding is detected here, which takes next to no time.
    const html = decodeText(bytes, declaredEncoding(bytes));
    const { title, text } = await extraction.extract('html', Buffer.from(html), signal);
    return [{ document: { title: title ?? name, text, verbatim: false, fields: metaFields(html) } }];
  },
};

/** `<meta charset>` or the XML declaration, which are in the first kilobyte. */
export function declaredEncoding(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 1024);
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}encoding="([\w-]+)"/.exec(head)?.[1]
  );
}
