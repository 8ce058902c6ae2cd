import * as l10n from '@vscode/l10n';
import { FileSkipped } from '../readers/reader.ts';
import { firstHeading } from '../readers/verbatim.ts';
import { checkLength } from './limits.ts';
import { propertiesOf } from './docx-properties.ts';
import { htmlToText } from './html-text.ts';
import type { ExtractedText } from './messages.ts';

/**
 * The text of a Word document (.docx): converted to HTML, which keeps headings, lists and tables, and then to text.
 *
 * @throws FileSkipped `broken`, `too-large`
 */
export async function docxText(bytes: Uint8Array): Promise<ExtractedText> {
  const { default: mammoth } = await import('mammoth');
  // Pictures would be carried along as base64.
  const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  const { value: html } = await mammoth
    .convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage, externalFileAccess: false })
    .catch((error: unknown) => {
      throw new FileSkipped('broken', l10n.t('It is not a readable Word document (.docx).'), {
        cause: error,
      });
    });
  checkLength(html.length);
  const text = await htmlToText(html);
  return { title: firstHeading(text), text, fields: await propertiesOf(bytes) };
}
