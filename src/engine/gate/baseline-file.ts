/** Baselines as files. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { formatBaseline, parseBaseline, sameFigures, type Baseline } from '../../core/gate/baseline.ts';
import { writeText } from '../files/output-file.ts';
import { readInput } from '../files/read-input.ts';
import type { Read } from '../../core/read.ts';
import type { baselinePlaceSchema } from '../../shared/requests/evaluating.ts';

export type BaselinePlace = Read<typeof baselinePlaceSchema>;

/** How people are told of it. */
export function shownBaseline({ file, from }: BaselinePlace): string {
  return path.relative(from, file);
}

/**
 * @param remedy what writes one, as people call it
 * @throws ParallaxError `not-found` where there is none, `bad-file` as {@link parseBaseline}
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
 * Writes what was evaluated as the baseline; a file that says the same already is left as it is.
 *
 * @returns whether the file is another than before
 * @throws ParallaxError `bad-file` when it cannot be written
 */
export async function writeBaseline({ file }: BaselinePlace, accepted: Baseline): Promise<boolean> {
  // One that cannot be read is what is to be replaced.
  const before = await readInput(file, (text) => parseBaseline(text, file)).catch(() => undefined);
  if (before !== undefined && sameFigures(before, accepted)) return false;
  await writeText(file, formatBaseline(accepted));
  return true;
}
