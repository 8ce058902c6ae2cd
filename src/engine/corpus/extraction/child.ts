/**
 * Entry of the process that extracts text from packed documents: `child.ts <megabytes>`. It has no keys and opens no
 * files. A document that fills its memory ends only this process.
 */
import '../../l10n.ts';
import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../core/errors.ts';
import { watchThisProcess } from '../../concurrency/watchdog.ts';
import { FileSkipped } from '../readers/reader.ts';
import { docxText } from './docx-text.ts';
import { documentText, webPageText } from './html-text.ts';
import type { ExtractAnswer, ExtractedText, ExtractRequest, PackedFormat } from './messages.ts';
import { pdfText } from './pdf-text.ts';
import { parquetText } from './records-text.ts';

const READERS: Readonly<Record<PackedFormat, (bytes: Uint8Array) => Promise<ExtractedText>>> = {
  pdf: pdfText,
  docx: docxText,
  html: (bytes) => documentText(utf8(bytes)),
  'web-page': (bytes) => webPageText(utf8(bytes)),
  parquet: parquetText,
};

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const bytes = Number(process.argv[2]) * 1024 * 1024;
// The parser blocks this thread.
watchThisProcess(bytes);

process.on('message', ({ id, format, bytes: document }: ExtractRequest) => {
  READERS[format](document).then(
    (extracted) => send({ id, full: isFull(), extracted }),
    (error: unknown) => send({ id, full: isFull(), skipped: skippedBy(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
// pdf.js leaves promises behind that are never awaited. They change neither this document's outcome nor the next
// document's.
process.on('unhandledRejection', () => undefined);

function send(answer: ExtractAnswer): void {
  process.send?.(answer);
}

function isFull(): boolean {
  return process.memoryUsage.rss() > bytes / 2;
}

function skippedBy(error: unknown): Pick<FileSkipped, 'reason' | 'message'> {
  if (error instanceof FileSkipped) return { reason: error.reason, message: error.message };
  return { reason: 'broken', message: l10n.t`It cannot be read: ${messageOf(error)}.` };
}
