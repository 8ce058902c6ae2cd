import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { readInput } from '../files/read-input.ts';
import { extraction } from './extraction/extraction.ts';
import { FileSkipped } from './readers/reader.ts';

/**
 * As `readArgument`, but converts a Parquet table to JSON Lines in the extraction process.
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
  if (bytes.subarray(0, 4).toString('latin1') !== 'PAR1') return bytes.toString('utf8');
  try {
    return (await extraction.extract('parquet', bytes)).text;
  } catch (error) {
    if (!(error instanceof FileSkipped)) throw error;
    const id = error.reason === 'too-large' ? 'too-large' : 'bad-file';
    throw new ParallaxError(id, l10n.t`${file}: ${error.message}`, { cause: error });
  }
}
