/** Other splits for a corpus, closest to the present one first. */
import { splitSchema, splitterOf, type SplitSpec } from '../../../core/split/spec.ts';

/**
 * @param words of a text that one passage must contain; splits with shorter passages are left out
 * @returns splits that differ from the present one and from each other
 */
export function otherSplits(split: SplitSpec, words = 0): SplitSpec[] {
  const known = new Set([JSON.stringify(split)]);
  return splitterOf(split)
    .others(split)
    .filter((each) => {
      const key = JSON.stringify(each);
      if (known.has(key) || !splitSchema.safeParse(each).success) return false;
      known.add(key);
      return splitterOf(each).maxWords(each) >= words;
    });
}

/** In the terms of `parallax.json`: `words 100 (overlap 50)`. */
export function splitLabel(split: SplitSpec): string {
  return splitterOf(split).label(split);
}
