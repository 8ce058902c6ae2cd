/** The form of the answers that prompts ask for, so that an endpoint can hold a model to it. */
import { statementLetter } from './prompts/passage-prompt.ts';
import type { PromptForm } from './prompts/prompt-form.ts';

/** A part of JSON Schema in the strict form: every key of an object is required, and there are no others. */
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
  /** No sound answer is longer, in any script; thoughts before it are not counted in. */
  readonly maxTokens: number;
  /** Absent where the answer is no JSON object, or one of free form. */
  readonly schema?: JsonSchema;
}

const TEXT = { type: 'string' } as const;
const QUOTE = { type: ['string', 'null'] } as const;
const DECIDED = { type: 'string', enum: ['yes', 'no'] } as const;
const VERDICT = { type: 'string', enum: ['yes', 'no', 'unsure'] } as const;

/** In this order, which models keep to: evidence stands before the verdict. */
const EXPLAINED = objectOf({ evidence: QUOTE, verdict: VERDICT, reason: TEXT });

/** Of the prompt about one pair. */
export function pairForm({ explain }: Pick<PromptForm, 'explain'>): AnswerForm {
  return explain
    ? { maxTokens: 1_024, schema: EXPLAINED }
    : { maxTokens: 64, schema: objectOf({ verdict: DECIDED }) };
}

/** Of the prompt about a passage and so many statements. */
export function passageForm({ explain }: Pick<PromptForm, 'explain'>, statements: number): AnswerForm {
  const letters = Array.from({ length: statements }, (_, place) => statementLetter(place));
  const entry = explain ? EXPLAINED : DECIDED;
  return {
    maxTokens: explain ? 256 + 768 * statements : 64 + 32 * statements,
    schema: objectOf(Object.fromEntries(letters.map((letter) => [letter, entry]))),
  };
}

/** Of agents and adjudicators. */
export const ARGUMENT_FORM: AnswerForm = {
  maxTokens: 2_048,
  schema: objectOf({ evidence: { type: 'array', items: TEXT }, reason: TEXT, verdict: DECIDED }),
};

/** Of a single word. */
export const WORD_FORM: AnswerForm = { maxTokens: 16 };

/** Of an answer that is written from passages, and of a list of short statements. */
export const WRITTEN_FORM: AnswerForm = { maxTokens: 4_096 };

function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
