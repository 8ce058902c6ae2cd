import * as l10n from '@vscode/l10n';
import { inContext, ParallaxError } from '../../core/errors.ts';
import { codeOf, reasonOf } from './file-reason.ts';
import { readText, type ReadOptions } from './reading.ts';

/**
 * Reads a text file that a workspace names and hands it to `parse`; errors of either name the file.
 *
 * @param shown the file's name in errors
 * @throws ParallaxError `not-found`, `bad-file` or `untrusted`, or what `parse` throws
 */
export async function readInput<T>(
  file: string,
  parse: (text: string) => T,
  shown = file,
  options: ReadOptions = {},
): Promise<T> {
  const text = await readText(file, options).catch((error: unknown) => {
    if (ParallaxError.is(error)) throw error;
    throw new ParallaxError(
      codeOf(error) === 'ENOENT' ? 'not-found' : 'bad-file',
      l10n.t`Cannot read ${shown}: ${reasonOf(error)}.`,
      { cause: error },
    );
  });
  try {
    return parse(text);
  } catch (error) {
    throw inContext((sentence) => l10n.t`${shown}: ${sentence}`, error);
  }
}

/** As {@link readInput}, for an argument of a command line, which may be a pipe, or packed: `run.gz`. */
export function readArgument<T>(file: string, parse: (text: string) => T): Promise<T> {
  return readInput(file, parse, file, { pipes: true, unpacks: true });
}
