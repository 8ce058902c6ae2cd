/**
 * Asks a chat model whether a question is about the personal experience of the person asked.
 *
 * Source: the criteria by which BERDS filters survey questions (section 4.1, appendix A.1, Table 11). The wording is
 * our own.
 */
import * as z from 'zod';
import type { Messages } from '../../../core/judging/prompts/instructions.ts';
import type { Unparsable } from '../../../core/judging/replies/parse.ts';
import { onlyAnswer, reason, yesOrNo } from './answer.ts';
import { QUESTION_NOTICE, questionPrompt } from './question-prompt.ts';
import type { Read } from '../../../core/read.ts';

/** Increment with any change to the wording below. */
export const PERSONAL_PROMPT_VERSION = 'personal-1';

const INSTRUCTIONS = `You sort questions into those about somebody's own experience and circumstances, and all others.

A question is personal when the answer is a fact about whoever is asked:
1. whether they ever did something, or something ever happened to them;
2. what they are, have or do, for instance what they own or how they would describe themselves;
3. what happened in the place where they live, or how things stand there.

A question is not personal when it asks for a view: what somebody thinks of a matter, prefers, expects, fears or worries about, even where it says "you". Nor is one personal that asks about the world at large.

${QUESTION_NOTICE}

How to answer: one JSON object and nothing around it, with these keys in this order:
"reason": one short sentence on what decided it.
"personal": true or false.`;

export function personalPrompt(question: string): Messages {
  return questionPrompt(
    INSTRUCTIONS,
    question,
    'Is it personal? Answer with the JSON object: {"reason": string, "personal": true or false}',
  );
}

const personalSchema = z.object({ personal: yesOrNo, reason });
export type PersonalAnswer = Read<typeof personalSchema>;

export function parsePersonal(answer: string): PersonalAnswer | Unparsable {
  return onlyAnswer<PersonalAnswer>(
    answer,
    personalSchema,
    'The answer does not say whether the question is personal.',
  );
}
