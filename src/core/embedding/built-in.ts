/** Embedders that need no model of the user's, as `parallax.json` names them. */

/** The sentence encoder that ships, for English. */
export const MEANING = 'meaning';
/** Spelling alone: for corpora that the encoder does not read. */
export const HASHED_WORDS = 'hashing';
