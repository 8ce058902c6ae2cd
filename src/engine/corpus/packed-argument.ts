import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { readInput } from '../files/read-input.ts';
import { extraction } from './extraction/extraction.ts';
import { isLz4 } from './extraction/lz4.ts';
import type { PackedFormat } from './extraction/messages.ts';
import { FileSkipped } from './readers/reader.ts';

/**
 * As `readArgument`, for files that other tools write for each other: tables of Parquet, and what LZ4 packed, are read as
 * the JSON that they hold. A process of its own takes them apart.
 *
 * @throws ParallaxError `not-found`, `bad-file` or `too-large`, or what `parse` throws
 */
export function readPackedArgument<T>(file: string, parse: (text: string) => T): Promise<T> {
  return readInput(file, parse, file, {
    pipes: true,
    unpacks: true,
    textOf: (bytes) => textOf(bytes, file),
  });
}

async function textOf(bytes: Buffer, file: string): Promise<string> {
  const format = formatOf(bytes);
  if (!format) return bytes.toString('utf8');
  try {
    return (await extraction.extract(format, bytes)).text;
  } catch (error) {
    if (!(error instanceof FileSkipped)) throw error;
    const id = error.reason === 'too-large' ? 'too-large' : 'bad-file';
    throw new ParallaxError(id, l10n.t`${file}: ${error.message}`, { cause: error });
  }
}

function formatOf(bytes: Buffer): PackedFormat | undefined {
  if (bytes.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  return isLz4(bytes) ? 'lz4' : undefined;
}
