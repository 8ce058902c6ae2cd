/** JSONL: one record per line, read line by line. A bad line is reported, and the others are kept. */
import { isUtf8 } from 'node:buffer';
import * as l10n from '@vscode/l10n';
import iconv from 'iconv-lite';
import { byteLines } from '../../files/byte-lines.ts';
import { recordItemOfLine, recordProblem } from './records.ts';
import type { ReadItem, StreamedReader } from './reader.ts';

const BYTE_ORDER_MARK = '\uFEFF';

export const jsonLinesReader: StreamedReader = {
  streamed: true,
  decodesRecords: true,
  async *read(chunks, encoding, context): AsyncGenerator<ReadItem> {
    let number = 0;
    for await (const { line, bytes } of byteLines(asUtf8(chunks, encoding), context.maxRecordBytes)) {
      if (bytes === 'too-long') {
        const limit = () => l10n.t`longer than ${context.maxRecordBytes} bytes (maxFileBytes of the corpus).`;
        yield { problem: recordProblem({ number: ++number, line }, limit) };
        continue;
      }
      const text = bytes
        .toString('utf8')
        .replace(BYTE_ORDER_MARK, line === 0 ? '' : BYTE_ORDER_MARK)
        .trim();
      if (text === '') continue;
      number++;
      yield isUtf8(bytes)
        ? recordItemOfLine(text, { number, line }, context)
        : { problem: recordProblem({ number, line }, () => l10n.t('not valid UTF-8.')) };
    }
  },
};

/**
 * Converts UTF-16 to UTF-8. Leaves everything else unchanged: JSON is UTF-8, and one bad line must not change
 * how others are read.
 */
async function* asUtf8(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  if (!encoding.startsWith('utf-16')) return yield* chunks;
  const decoder = iconv.getDecoder(encoding);
  for await (const chunk of chunks) yield Buffer.from(decoder.write(chunk));
  yield Buffer.from(decoder.end() ?? '');
}
