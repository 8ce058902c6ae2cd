/**
 * Asks a chat model for the statement that affirms a question, and its negation.
 *
 * Source: the yes/no questions of Kialo and the perspectives of Arguana in BERDS (section 4.1, appendix A.1, Tables 8
 * to 10). The wording is our own.
 */
import * as z from 'zod';
import { normalizePerspective } from '../../../core/formats/labels.ts';
import type { Messages } from '../../../core/judging/prompts/instructions.ts';
import { unparsable, type Unparsable } from '../../../core/judging/replies/parse.ts';
import { onlyAnswer, reason, wording } from './answer.ts';
import { QUESTION_NOTICE, questionPrompt } from './question-prompt.ts';

/** Increment with any change to the wording below. */
export const NEGATION_PROMPT_VERSION = 'negation-1';

const INSTRUCTIONS = `You turn a question into two statements that contradict each other: one that answers it with yes, and one that answers it with no.

- Both follow the words of the question as closely as grammar allows. The second says the opposite of the first, as directly as language has it.
- Each is one full, concise sentence that can be understood without the question. Add no reasons, facts or qualifications.
- A question with two choices counts as a yes/no question about the first of them.
- Where the question cannot be answered with yes or no, because it asks which, what, how or why, or is no question at all, there are no such statements.

${QUESTION_NOTICE}

How to answer: one JSON object and nothing around it, with these keys in this order:
"reason": null, or one short sentence on why there are no such statements.
"yes": the statement that answers with yes, or null.
"no": the statement that answers with no, or null.`;

export function negationPrompt(question: string): Messages {
  return questionPrompt(
    INSTRUCTIONS,
    question,
    'Write the two statements. Answer with the JSON object: {"reason": string or null, "yes": string or null, "no": string or null}',
  );
}

/** A statement and its negation. No `statements` if the question cannot be answered with yes or no. */
export interface NegationAnswer {
  readonly statements?: { readonly yes: string; readonly no: string } | undefined;
  readonly reason?: string | undefined;
}

const both = z
  .object({ yes: wording, no: wording, reason })
  .transform(({ yes, no, reason: why }) => ({ statements: { yes, no }, reason: why }));
const neither = z
  .object({ yes: z.null(), no: z.null(), reason })
  .transform(({ reason: why }) => ({ statements: undefined, reason: why }));

/** Parses an answer to {@link negationPrompt}. Two wordings of one statement are not an answer. */
export function parseNegation(answer: string): NegationAnswer | Unparsable {
  const parsed = onlyAnswer<NegationAnswer>(
    answer,
    z.union([both, neither]),
    'The answer holds neither two statements nor the word that there are none.',
  );
  if (!('statements' in parsed) || !parsed.statements) return parsed;
  const { yes, no } = parsed.statements;
  return normalizePerspective(yes) === normalizePerspective(no)
    ? unparsable('The answer gives the same statement twice.')
    : parsed;
}
