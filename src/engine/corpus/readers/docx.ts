/**
 * Word documents (.docx): converted to HTML, which keeps headings, lists and tables, and then to text.
 */
import { htmlToText } from './html.ts';
import { firstHeading } from './verbatim.ts';
import { FileSkipped, type ReadItem, type WholeReader } from './reader.ts';

export const docxReader: WholeReader = {
  streamed: false,
  async read(bytes, { name }): Promise<ReadItem[]> {
    const { default: mammoth } = await import('mammoth');
    // Pictures would be carried along as base64.
    const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
    const { value: html } = await mammoth
      .convertToHtml({ buffer: bytes }, { convertImage, externalFileAccess: false })
      .catch((error: unknown) => {
        throw new FileSkipped('broken', 'It is not a readable Word document (.docx).', { cause: error });
      });
    const text = await htmlToText(html);
    return [{ document: { title: firstHeading(text) ?? name, text, verbatim: false } }];
  },
};
