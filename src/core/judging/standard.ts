/**
 * The support standard: one versioned text for people, models and debates. A changed criterion needs a new id, so that
 * old judgements keep their meaning.
 */

/** The names of standards in `parallax.json`. */
export type StandardName = 'berds' | 'strict';

export interface SupportStandard {
  /** Name and version, recorded in every judgement. */
  readonly id: string;
  /** One sentence for users. */
  readonly summary: string;
  /** The rules given to a judge, most important first. */
  readonly criteria: readonly string[];
}

/** After BERDS section 5 and appendix A.2: a passage supports a statement explicitly or implicitly. */
const BERDS: SupportStandard = {
  id: 'berds-1',
  summary: 'The passage supports the perspective, explicitly or implicitly.',
  criteria: [
    'Go by the passage alone. What you know about the world, and whether the statement is true, must not matter.',
    'The passage may be a fragment cut out of a longer text. Do not imagine what stood before or after it.',
    'Support may be explicit (the passage says it) or implicit (a careful reader of the passage alone would take it as speaking for the statement).',
    'A passage that speaks against the statement does not support it, even where it first repeats the statement in order to refute it.',
    'A passage that only shares the topic, or takes no side, does not support it.',
    'Shared words are no evidence. Check that the passage makes the same claim about the same thing, with the same direction; mind negations.',
    'A passage that supports only an essential part of the statement, or supports it with reservations, counts as support when it leans towards the statement as a whole, and not when it leans away or weighs both sides evenly.',
  ],
};

/** After DREAM section 3.1 and its debate guidelines: complete and direct, nothing left to infer. */
const STRICT: SupportStandard = {
  id: 'strict-1',
  summary: 'The passage states the perspective directly and completely; nothing has to be inferred.',
  criteria: [
    'Go by the passage alone. What you know about the world, and whether the statement is true, must not matter.',
    'The passage may be a fragment cut out of a longer text. Do not imagine what stood before or after it.',
    'The passage has to say it itself. What follows only by implication, by ruling out the opposite or by common sense does not count.',
    'It has to be complete: every essential part of the statement stands in the passage, and nothing in the passage contradicts it.',
    'The scope has to be the same. A single example does not establish a general statement, nor a general one a particular case.',
    'The meaning has to be the same: same concept, same intent, same direction. A shared theme, shared terms or similar wording are not enough; mind negations.',
    'A passage that speaks against the statement, takes no side, or supports it only in part or with reservations does not support it.',
  ],
};

export const STANDARDS: Readonly<Record<StandardName, SupportStandard>> = { berds: BERDS, strict: STRICT };
