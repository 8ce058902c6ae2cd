import path from 'node:path';
import { parseLabelledPairs } from '../../core/formats/labelled-pairs.ts';
import { referenceSetOf, type PassagesOf, type ReferenceSet } from '../../core/validation/reference-set.ts';
import { readInput } from '../files/read-input.ts';

/**
 * The labelled pairs of a file.
 *
 * @param file absolute, or relative to `base`; errors name it as it is given
 * @param passagesOf absent where there is no corpus to look passages up in
 * @throws ParallaxError `not-found` and `bad-file` for the file, `bad-argument` where all labels need a corpus
 */
export function readReference(
  file: string,
  base: string,
  passagesOf: PassagesOf | undefined,
): Promise<ReferenceSet> {
  return readInput(
    path.resolve(base, file),
    (text) => referenceSetOf(parseLabelledPairs(text), passagesOf),
    file,
  );
}
