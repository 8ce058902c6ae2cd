import path from 'node:path';
import { LabelledPairsReading, type ParsedLabelledPairs } from '../../../core/formats/labelled-pairs.ts';
import { referenceSetOf, type PassagesOf, type ReferenceSet } from '../core/reference-set.ts';
import { inFile, readInputLines } from '../../../engine/files/read-input.ts';

/**
 * The labelled pairs of a file.
 *
 * @param file absolute, or relative to `base`; errors name it as given
 * @param passagesOf undefined if there is no corpus to look passages up in
 * @throws ParallaxError `not-found` and `bad-file` for the file, `bad-argument` if all labels need a corpus
 */
export async function readReference(
  file: string,
  base: string,
  passagesOf: PassagesOf | undefined,
): Promise<ReferenceSet> {
  const labels = await readLabelledPairs(file, base);
  return inFile(file, () => referenceSetOf(labels, passagesOf));
}

/** As {@link readReference}, without looking passages up. */
export function readLabelledPairs(file: string, base: string): Promise<ParsedLabelledPairs> {
  return readInputLines(path.resolve(base, file), new LabelledPairsReading(), file);
}
