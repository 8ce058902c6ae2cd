import * as l10n from '@vscode/l10n';
import { inContext, ParallaxError } from '../../core/errors.ts';
import { JsonShape } from '../../core/formats/json-shape.ts';
import type { Line } from '../../core/formats/lines.ts';
import { codeOf, reasonOf } from './file-reason.ts';
import { readFileLines, readText, type ReadOptions } from './reading.ts';

/**
 * Reads a text file that a workspace names, and parses it. Errors name the file.
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
    throw unreadable(shown, error);
  });
  return inFile(shown, () => {
    requireShape(text);
    return parse(text);
  });
}

/** Takes lines one by one, and returns a result at the end. */
export interface LineTaker<T> {
  take(line: Line): void;
  end(): T;
}

/** As {@link readInput}, line by line, so that the length of the file does not matter. */
export async function readInputLines<T>(
  file: string,
  reader: LineTaker<T>,
  shown = file,
  options: ReadOptions = {},
): Promise<T> {
  const lines = readFileLines(file, options);
  const next = () =>
    lines.next().catch((error: unknown) => {
      throw unreadable(shown, error);
    });
  try {
    for (let line = await next(); !line.done; line = await next()) {
      const { value } = line;
      inFile(shown, () => {
        requireShape(value.text);
        reader.take(value);
      });
    }
  } finally {
    await lines.return(undefined);
  }
  return inFile(shown, () => reader.end());
}

function unreadable(shown: string, error: unknown): ParallaxError {
  if (ParallaxError.is(error)) return error;
  return new ParallaxError(
    codeOf(error) === 'ENOENT' ? 'not-found' : 'bad-file',
    l10n.t`Cannot read ${shown}: ${reasonOf(error)}.`,
    { cause: error },
  );
}

/** @throws what `parse` throws, with the file's name */
export function inFile<T>(shown: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw inContext((sentence) => l10n.t`${shown}: ${sentence}`, error);
  }
}

/** As {@link readInput}, for an argument of a command line, which may be a pipe, or compressed: `run.gz`. */
export function readArgument<T>(file: string, parse: (text: string) => T): Promise<T> {
  return readInput(file, parse, file, { pipes: true, unpacks: true });
}

/**
 * As {@link readArgument}, line by line, so that the length of a file does not matter. A compressed one is still
 * limited.
 */
export function readArgumentLines<T>(file: string, reader: LineTaker<T>): Promise<T> {
  return readInputLines(file, reader, file, { pipes: true, unpacks: true });
}

/** The most parts of one value, or of one line of JSON Lines. */
const MAX_PARTS = 10_000_000;
/** The most keys of all objects in a JSON text. */
const MAX_KEYS = 3_000_000;
const SLICE = 1_000_000;

/**
 * Call it before a text is parsed as JSON, which takes up to thirty times its length in memory. The compressed text
 * may be a thousand times shorter.
 *
 * @param text passes if it does not begin like a list or an object
 * @throws ParallaxError `too-large`
 */
export function requireShape(text: string): void {
  const begin = text.charAt(text.search(/\S/u));
  if (begin !== '[' && begin !== '{') return;
  const shape = new JsonShape(
    {
      tooDeep: (levels) => l10n.t`JSON may be nested ${levels} levels deep at most.`,
      tooMany: (parts) => l10n.t`JSON may hold ${parts} lists and objects at most.`,
      tooLong: (entries) => l10n.t`JSON may hold ${entries} entries of lists and objects at most.`,
    },
    { mostParts: MAX_PARTS, mostKeys: MAX_KEYS },
  );
  const bytes = new TextEncoder();
  for (let from = 0; from < text.length; from += SLICE)
    shape.check(bytes.encode(text.slice(from, from + SLICE)));
}
