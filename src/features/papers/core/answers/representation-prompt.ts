/**
 * Prompt that asks which perspectives an answer represents.
 *
 * Follows the judgement of answers in DREAM, appendix J.2 and Table 25 (the core content counts), for perspectives that
 * may contradict each other; the wording is ours.
 */
import { fence } from '../../../../core/judging/prompts/fence.ts';
import {
  codeNotice,
  cutNotice,
  materialNotice,
  type Messages,
} from '../../../../core/judging/prompts/instructions.ts';
import { statementLetter } from '../../../../core/judging/prompts/passage-prompt.ts';

/** Part of every report. Increase it with any change to the wording below. */
export const REPRESENTATION_PROMPT_VERSION = 'representation-1';

export interface RepresentationPrompt {
  readonly messages: Messages;
  /** A sentence, if the answer was too long to be shown whole. */
  readonly cut?: string | undefined;
}

/**
 * All perspectives in one request, because an answer is short and needs to be read only once. Includes the question,
 * because a terse answer ("Yes, because …") means nothing without it.
 *
 * @param perspectives 1 to `MAX_STATEMENTS`
 */
export function representationPrompt(
  question: string,
  answer: string,
  perspectives: readonly string[],
): RepresentationPrompt {
  const letters = perspectives.map((_, place) => statementLetter(place));
  const statements = letters.map((letter, place) => [`statement-${letter}`, perspectives[place]!]);
  const { code, blocks } = fence<string>({ question, ...Object.fromEntries(statements), answer });
  const shown = Object.values(blocks).map(({ block }) => block);
  return {
    messages: [
      { role: 'system', content: INSTRUCTIONS },
      {
        role: 'user',
        content: `${codeNotice('All texts', code)}

${shown.join('\n\n')}

The texts end here. Which of the statements does the answer represent? Answer with the JSON object, which has exactly the keys ${letters.join(', ')}; the value of each: {"evidence": string or null, "verdict": "yes", "no" or "unsure"}`,
      },
    ],
    cut: cutNotice('answer', blocks['answer']!, answer),
  };
}

const INSTRUCTIONS = `You examine answers that were written to a question. For one answer and several statements you decide, statement by statement, whether the answer represents it. Statements may say the same or contradict each other; decide on each as if it were the only one.

How to decide:
1. Go by the answer alone. Whether a statement is true, and whether the answer is right, must not matter.
2. An answer represents a statement when its reader learns the core of what the statement claims: as the answer's own view, or as a view that others hold.
3. Reporting a view and then preferring another still represents it. Naming it only to deny it, without letting the reader know that anybody holds it or why, does not.
4. Sharing the topic is not enough, nor are shared words. The claim has to be the same, about the same thing and in the same direction; mind negations.
5. Other words for the same claim are as good. Details of the statement may be absent as long as its core is there.
6. That an answer leaves a view out, or says that nothing is known about it, is no representation of it.

${materialNotice('The question, the statements and the answer', 'any of them')}

How to answer: one JSON object and nothing around it. It has one key for each statement, its letter, in the order of the statements. Each value is an object with these keys in this order:
"evidence": the sentence of the answer that best conveys the statement, copied exactly as it stands there; null when there is none.
"verdict": "yes" when the answer represents the statement, "no" when it does not, "unsure" only when the answer is too garbled or ambiguous to tell.`;
