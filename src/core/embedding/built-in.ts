/** Embedders that need no model of the user's, as `parallax.json` names them. */

/** The sentence encoder that ships, for English. */
export const MEANING = 'meaning';
/** Spelling alone: used where it is named, and to compare passages that the encoder does not read. */
export const HASHED_WORDS = 'hashing';
export const BUILT_IN_EMBEDDERS = [MEANING, HASHED_WORDS] as const;

/**
 * The weight of meaning beside words. Between 0.1 and 0.6 it makes little difference over debates, PIR's samples and BERDS'
 * development questions together (`docs/measured.md`).
 */
export const WEIGHT_OF_MEANING = 0.35;
