/** The expected form of answers to prompts, so that an endpoint can constrain a model to it. */
import { statementLetter } from './prompts/passage-prompt.ts';
import type { PromptForm } from './prompts/prompt-form.ts';

/** A subset of JSON Schema in strict form: every key of an object is required, and no others are allowed. */
export type JsonSchema =
  | { readonly type: 'string' | readonly ['string', 'null']; readonly enum?: readonly string[] }
  | { readonly type: 'array'; readonly items: JsonSchema }
  | {
      readonly type: 'object';
      readonly properties: Readonly<Record<string, JsonSchema>>;
      readonly required: readonly string[];
      readonly additionalProperties: false;
    };

export interface AnswerForm {
  /** No valid answer is longer in any script. Excludes reasoning before the answer. */
  readonly maxTokens: number;
  /** `undefined` if the answer is not a JSON object of fixed form. */
  readonly schema?: JsonSchema;
}

const TEXT = { type: 'string' } as const;
const QUOTE = { type: ['string', 'null'] } as const;
const DECIDED = { type: 'string', enum: ['yes', 'no'] } as const;
const VERDICT = { type: 'string', enum: ['yes', 'no', 'unsure'] } as const;

/** In this order, which models follow: evidence comes before the verdict. */
const EXPLAINED = objectOf({ evidence: QUOTE, verdict: VERDICT, reason: TEXT });

/** For the prompt about one pair. */
export function pairForm({ explain }: Pick<PromptForm, 'explain'>): AnswerForm {
  return explain
    ? { maxTokens: 1_024, schema: EXPLAINED }
    : { maxTokens: 64, schema: objectOf({ verdict: DECIDED }) };
}

/** For the prompt about a passage and this many statements. */
export function passageForm({ explain }: Pick<PromptForm, 'explain'>, statements: number): AnswerForm {
  const letters = Array.from({ length: statements }, (_, place) => statementLetter(place));
  const entry = explain ? EXPLAINED : DECIDED;
  return {
    maxTokens: explain ? 256 + 768 * statements : 64 + 32 * statements,
    schema: objectOf(Object.fromEntries(letters.map((letter) => [letter, entry]))),
  };
}

/** For agents and adjudicators. */
export const ARGUMENT_FORM: AnswerForm = {
  maxTokens: 2_048,
  schema: objectOf({ evidence: { type: 'array', items: TEXT }, reason: TEXT, verdict: DECIDED }),
};

/** For a single word. */
export const WORD_FORM: AnswerForm = { maxTokens: 16 };

/** For an answer written from passages, and for a list of short statements. */
export const WRITTEN_FORM: AnswerForm = { maxTokens: 4_096 };

function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
