import * as l10n from '@vscode/l10n';
import { FileSkipped } from '../readers/reader.ts';
import { firstHeading } from '../readers/verbatim.ts';
import { checkLength } from './limits.ts';
import { htmlToText } from './html-text.ts';
import type { ExtractedText } from './messages.ts';
import { fieldsOf, type DocumentFields } from '../../../core/text/fields.ts';

/** The part of the package with the properties, as Word and LibreOffice name it. */
const CORE_PROPERTIES = 'docProps/core.xml';
/** The most characters to read. The properties themselves have hardly a thousand. */
const LONGEST = 100_000;
/** Elements of ECMA-376 part 2, §11, with their usual names. */
const ELEMENTS = {
  'dc:creator': 'author',
  'dc:subject': 'subject',
  'cp:keywords': 'keywords',
  'cp:category': 'category',
  'dcterms:created': 'date',
} as const;
const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Author, subject, keywords, category and day of a Word document, those that it has. */
async function propertiesOf(bytes: Uint8Array): Promise<DocumentFields | undefined> {
  const { default: JSZip } = await import('jszip');
  const archive = await JSZip.loadAsync(bytes);
  const xml = ((await archive.file(CORE_PROPERTIES)?.async('string')) ?? '').slice(0, LONGEST);
  return fieldsOf(
    Object.entries(ELEMENTS).map(([element, name]) => {
      const value = textOf(xml, element);
      return [name, name === 'date' ? (value.split('T')[0] ?? '') : value] as const;
    }),
  );
}

function textOf(xml: string, element: string): string {
  const [, value = ''] =
    new RegExp(`<${element}(?:\\s[^<>]{0,1000})?>([^<]{0,10000})</${element}>`).exec(xml) ?? [];
  return value.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/giu, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return PREDEFINED[name] ?? whole;
    const point = typeof hex === 'string' ? parseInt(hex, 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/**
 * The text of a Word document (.docx): converted to HTML, which keeps headings, lists and tables, and then to
 * text.
 *
 * @throws FileSkipped `broken`, `too-large`
 */
export async function docxText(bytes: Uint8Array): Promise<ExtractedText> {
  const { default: mammoth } = await import('mammoth');
  // Pictures would otherwise be embedded as base64.
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
