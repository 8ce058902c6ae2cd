/** Embedders that need no model of the user, by their names in `parallax.json`. */

/** The included sentence encoder for English. */
export const MEANING = 'meaning';
/** Spelling only. Used if named, and to compare passages that the encoder cannot read. */
export const HASHED_WORDS = 'hashing';
export const BUILT_IN_EMBEDDERS = [MEANING, HASHED_WORDS] as const;

/**
 * The weight of the dense search beside BM25. Between 0.1 and 0.6 it makes little difference over debates, PIR's
 * samples and BERDS' development questions together (`docs/measured.md`).
 */
export const WEIGHT_OF_MEANING = 0.35;
