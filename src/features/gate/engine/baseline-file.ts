/** Reads and writes baseline files. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { formatBaseline, parseBaseline, sameFigures, type Baseline } from '../core/baseline.ts';
import { writeText } from '../../../engine/files/output-file.ts';
import { readInput } from '../../../engine/files/read-input.ts';
import type { Read } from '../../../core/read.ts';
import type { baselinePlaceSchema } from '../contract/requests.ts';

export type BaselinePlace = Read<typeof baselinePlaceSchema>;

/** The path that messages show. */
export function shownBaseline({ file, from }: BaselinePlace): string {
  return path.relative(from, file);
}

/**
 * @param remedy what writes a baseline, for messages
 * @throws ParallaxError `not-found` if there is none, `bad-file` as {@link parseBaseline}
 */
export async function readBaseline(place: BaselinePlace, remedy: string): Promise<Baseline> {
  const shown = shownBaseline(place);
  try {
    return await readInput(place.file, (text) => parseBaseline(text, shown));
  } catch (error) {
    if (!ParallaxError.is(error, 'not-found')) throw error;
    throw new ParallaxError('not-found', l10n.t`There is no baseline ${shown}. Write one: ${remedy}.`, {
      cause: error,
    });
  }
}

/**
 * Writes the evaluation as the baseline. A file with the same figures is left unchanged.
 *
 * @returns whether the file changed
 * @throws ParallaxError `bad-file` if it cannot be written
 */
export async function writeBaseline({ file }: BaselinePlace, accepted: Baseline): Promise<boolean> {
  // A baseline that cannot be read is replaced.
  const before = await readInput(file, (text) => parseBaseline(text, file)).catch(() => undefined);
  if (before !== undefined && sameFigures(before, accepted)) return false;
  await writeText(file, formatBaseline(accepted));
  return true;
}
