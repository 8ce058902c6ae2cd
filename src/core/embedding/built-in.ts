/** Embedders that need no model of the user's, as `parallax.json` names them. */

/** The sentence encoder that ships, for English. */
export const MEANING = 'meaning';
/** Spelling alone: used where it is named, and to compare passages that the encoder does not read. */
export const HASHED_WORDS = 'hashing';
export const BUILT_IN_EMBEDDERS = [MEANING, HASHED_WORDS] as const;

/**
 * The weight of meaning beside words. Between 0.2 and 0.5 it made little difference on two sets of 178 debates; PIR's and
 * BERDS' tasks had no part in it so far.
 */
export const WEIGHT_OF_MEANING = 0.35;
