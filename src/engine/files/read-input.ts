import { readFile } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { inContext, ParallaxError } from '../../core/errors.ts';
import { codeOf, reasonOf } from './file-reason.ts';

/**
 * Reads a text file and hands it to `parse`; errors of either name the file.
 *
 * @param shown the file's name in errors
 * @throws ParallaxError `not-found` or `bad-file`, or what `parse` throws.
 */
export async function readInput<T>(path: string, parse: (text: string) => T, shown = path): Promise<T> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ParallaxError(
      codeOf(error) === 'ENOENT' ? 'not-found' : 'bad-file',
      l10n.t`Cannot read ${shown}: ${reasonOf(error)}.`,
      {
        cause: error,
      },
    );
  });
  try {
    return parse(text);
  } catch (error) {
    throw inContext((sentence) => l10n.t`${shown}: ${sentence}`, error);
  }
}
