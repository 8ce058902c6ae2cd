import * as l10n from '@vscode/l10n';
import { fieldsOf, type DocumentFields } from '../../../core/text/fields.ts';
import { FileSkipped } from '../readers/reader.ts';
import { checkLength } from './limits.ts';
import type { ExtractedText } from './messages.ts';

/** pdf.js prints warnings about half of all PDFs. 0 leaves only errors, which it throws. */
const SILENT = 0;

const PAGE_BREAK = '\n\n';

/**
 * The text layer of a PDF, with an empty line between pages.
 *
 * @throws FileSkipped `broken`, `encrypted`, `empty`, `too-large`
 */
export async function pdfText(bytes: Uint8Array): Promise<ExtractedText> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf');
  // A copy, because pdf.js transfers the buffer that it is given.
  const pdf = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: SILENT }).catch(explainFailure);
  try {
    const { text: pages } = await extractText(pdf, { mergePages: false });
    const text = pages.join(PAGE_BREAK);
    checkLength(text.length);
    if (text.trim() === '')
      throw new FileSkipped(
        'empty',
        l10n.t('It has no text layer: pages that are only scanned need OCR first.'),
      );
    const { info } = await getMeta(pdf);
    return { title: titleOf(info), text, pageStarts: startsOf(pages), fields: infoFields(info) };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

function startsOf(pages: readonly string[]): number[] {
  let next = 0;
  return pages.map((page) => {
    const start = next;
    next += page.length + PAGE_BREAK.length;
    return start;
  });
}

/**
 * The usual names of these fields. The programs that made the file are left out, since they do not describe
 * its content.
 */
const INFO = { Author: 'author', Subject: 'subject', Keywords: 'keywords' } as const;
/** Starts with year, month and day (ISO 32000-1, 7.9.4). */
const PDF_DATE = /^(?:D:)?(\d{4})(\d{2})?(\d{2})?/;

function infoFields(info: Record<string, unknown>): DocumentFields | undefined {
  const named = Object.entries(INFO).map(([key, name]) => [name, asText(info[key])] as const);
  const [, ...date] = PDF_DATE.exec(asText(info['CreationDate'])) ?? [];
  const day = date.filter((part) => part !== undefined).join('-');
  return fieldsOf([...named, ['date', day]]);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

function titleOf(info: Record<string, unknown>): string | undefined {
  const title = info['Title'];
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
}

function explainFailure(error: unknown): never {
  if (error instanceof Error && error.name === 'PasswordException')
    throw new FileSkipped('encrypted', l10n.t('It is protected by a password.'), { cause: error });
  throw new FileSkipped('broken', l10n.t('It is not a readable PDF.'), { cause: error });
}
