/** How much there is to judge in a file of labels. */
import type { ParsedLabelledPairs } from '../../../core/formats/labelled-pairs.ts';
import { normalizePerspective } from '../../../core/formats/labels.ts';
import type { Workload } from '../../../shared/judge-effort.ts';

/** Characters of a passage if its label does not state the length: about a hundred words. */
const USUAL_PASSAGE = 600;

/** Labelled pairs without duplicates. Labels of a workspace identify passages by document and text. */
export function labelledWorkload({ pairs, labels }: ParsedLabelledPairs): Workload {
  const places = labels.map(({ document, hash, quote }) => JSON.stringify([document, hash, quote]));
  const keys = new Set(
    labels.map(({ perspectiveText }, index) => `${normalizePerspective(perspectiveText)}\n${places[index]}`),
  );
  const texts = new Set(pairs.map(({ passage }) => passage));
  const placed = new Set(places);
  const characters = [...texts].reduce((sum, { length }) => sum + length, placed.size * USUAL_PASSAGE);
  const passages = texts.size + placed.size;
  return {
    pairs: pairs.length + keys.size,
    passages,
    passageLength: passages === 0 ? 0 : characters / passages,
  };
}
