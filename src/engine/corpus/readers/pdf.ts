/**
 * PDF: the text layer of every page, pages apart by an empty line.
 */
import { FileSkipped, type ReadItem, type WholeReader } from './reader.ts';

/** pdf.js prints warnings about half the PDFs of this world; 0 leaves errors, which it throws. */
const SILENT = 0;

export const pdfReader: WholeReader = {
  streamed: false,
  async read(bytes, { name }): Promise<ReadItem[]> {
    const { extractText, getDocumentProxy, getMeta } = await import('unpdf');
    // A copy: pdf.js takes the memory away from whoever hands it over.
    const pdf = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: SILENT }).catch(explainFailure);
    try {
      const { text: pages } = await extractText(pdf, { mergePages: false });
      const text = pages.join('\n\n');
      if (text.trim() === '')
        throw new FileSkipped('empty', 'It has no text layer: pages that are only scanned need OCR first.');
      const { info } = await getMeta(pdf);
      return [{ document: { title: titleOf(info) ?? name, text, verbatim: false } }];
    } finally {
      await pdf.loadingTask.destroy();
    }
  },
};

function titleOf(info: Record<string, unknown>): string | undefined {
  const title = info['Title'];
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
}

function explainFailure(error: unknown): never {
  if (error instanceof Error && error.name === 'PasswordException')
    throw new FileSkipped('encrypted', 'It is protected by a password.', { cause: error });
  throw new FileSkipped('broken', 'It is not a readable PDF.', { cause: error });
}
