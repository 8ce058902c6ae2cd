/** Other splits for a corpus, closest to the present one first. */
import { SECTIONS_SPLIT, splitSchema, type SplitSpec } from '../../../core/split/spec.ts';

/** Passages with half overlap. One of them contains any text of up to half its size, even across headings. */
const WINDOWS: SplitSpec = { type: 'words', size: 200, overlap: 100 };

/** A section may be this many times its size. */
const SECTION_FACTOR = 1.5;

/** The approximate number of words per token. */
const TOKEN_WORDS = 0.75;

/**
 * @param words of a text that one passage must contain; splits with shorter passages are left out
 * @returns splits that differ from the present one and from each other
 */
export function otherSplits(split: SplitSpec, words = 0): SplitSpec[] {
  const known = new Set([JSON.stringify(split)]);
  return candidates(split).filter((each) => {
    const key = JSON.stringify(each);
    if (known.has(key) || !splitSchema.safeParse(each).success) return false;
    known.add(key);
    return mostWords(each) >= words;
  });
}

function candidates(split: SplitSpec): SplitSpec[] {
  switch (split.type) {
    case 'none':
      return [SECTIONS_SPLIT, WINDOWS];
    case 'headings': {
      const { maxWords } = split;
      return [
        { ...split, maxWords: 2 * maxWords },
        { ...split, maxWords: half(maxWords) },
        SECTIONS_SPLIT,
        WINDOWS,
      ];
    }
    case 'sections': {
      const { size } = split;
      return [{ ...split, size: 2 * size }, { ...split, size: half(size) }, WINDOWS];
    }
    case 'words':
    case 'tokens':
    case 'sentences': {
      const { size, overlap } = split;
      return [
        ...[Math.round(size / 4), half(size)]
          .filter((more) => more > overlap)
          .map((more): SplitSpec => ({ ...split, overlap: more })),
        { ...split, size: 2 * size, overlap: 2 * overlap },
        { ...split, size: half(size), overlap: Math.floor(overlap / 2) },
        SECTIONS_SPLIT,
        WINDOWS,
      ];
    }
  }
}

/** An upper bound of a passage's words. Unbounded for sentences. */
function mostWords(split: SplitSpec): number {
  switch (split.type) {
    case 'words':
      return split.size;
    case 'tokens':
      return Math.ceil(split.size * TOKEN_WORDS);
    case 'headings':
      return split.maxWords;
    case 'sections':
      return split.size * SECTION_FACTOR;
    case 'sentences':
    case 'none':
      return Infinity;
  }
}

/** In the terms of `parallax.json`: `words 100 (overlap 50)`. */
export function splitLabel(split: SplitSpec): string {
  switch (split.type) {
    case 'none':
      return split.type;
    case 'headings':
      return `${split.type} ${split.maxWords}`;
    case 'sections':
      return `${split.type} ${split.size}`;
    case 'words':
    case 'tokens':
    case 'sentences':
      return `${split.type} ${split.size}${split.overlap > 0 ? ` (overlap ${split.overlap})` : ''}`;
  }
}

const half = (size: number): number => Math.max(1, Math.round(size / 2));
