/** HTML: what a reader of the page reads. */
import { metaFields } from '../../../core/likeness/document-fields.ts';
import { decodeText } from '../decode.ts';
import { extraction } from '../extraction/extraction.ts';
import type { ReadItem, WholeReader } from './reader.ts';

export const htmlReader: WholeReader = {
  streamed: false,
  /**
   * In a process of its own: a broken generator makes the parser take seconds over 256 kB, and minutes over some
   * megabytes. The way there and back takes a seventh of reading 2 kB, and nothing that can be measured of reading
   * 8 kB, so that no size is worth an exception.
   */
  async read(bytes, { name, signal }): Promise<ReadItem[]> {
    // Which encoding it is in is found here: that takes next to no time.
    const html = decodeText(bytes, declaredEncoding(bytes));
    const { title, text } = await extraction.extract('html', Buffer.from(html), signal);
    return [{ document: { title: title ?? name, text, verbatim: false, fields: metaFields(html) } }];
  },
};

/** `<meta charset>` or the XML declaration, which stand in the first kilobyte. */
export function declaredEncoding(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 1024);
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}encoding="([\w-]+)"/.exec(head)?.[1]
  );
}
