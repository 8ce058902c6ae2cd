/**
 * Asks a chat model whether two passages disagree, and on which question.
 *
 * Source: the construction of Arguana's part of BERDS (section 4.1, appendix A.1), where a question and one perspective
 * per side are derived from two contradicting arguments. There the contradiction is given; here the same request asks
 * for it. The wording is our own.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { fence } from '../../../core/judging/prompts/fence.ts';
import { codeNotice, materialNotice, type Messages } from '../../../core/judging/prompts/instructions.ts';
import { unparsable, type Unparsable } from '../../../core/judging/replies/parse.ts';
import { normalizePerspective } from '../../../core/formats/labels.ts';
import { onlyAnswer, reason, wording, yesOrNo } from './answer.ts';

/** Increment with any change to the wording below. */
export const DISAGREEMENT_PROMPT_VERSION = 'disagreement-1';

const INSTRUCTIONS = `You read two passages of a document collection and decide whether they disagree: whether there is a question, to be answered with yes or no, that one of them speaks for and the other one against.

How to decide:
1. Go by the passages alone. Who is right must not matter.
2. Both have to take a side on the same question about the same thing. Passages about different things, times, places or aspects do not disagree, and neither do two that a reader could believe at once.
3. A passage that only reports, asks, or weighs both sides evenly takes no side.
4. A disagreement about a mere slip, such as a date or a spelling, is not worth a question.

Where they disagree, write:
- the question, short and neutral, favouring neither side, such as somebody might ask who has seen neither passage; it names what it is about and never mentions passages, authors or texts;
- the statement that answers it with yes, and the statement that answers it with no. Both follow the words of the question, are full sentences that can be understood alone, and add nothing to it;
- which passage speaks for yes.

${materialNotice('The passages', 'either of them')}

How to answer: one JSON object and nothing around it, with these keys in this order:
"reason": one short sentence on what they disagree about, or why they do not.
"disagree": true or false.
"question", "yes", "no": the question and the two statements; null when they do not disagree.
"speaksForYes": "first" or "second"; null when they do not disagree.`;

/** Uses the same instructions for all pairs, and a separate fence for each passage. */
export function disagreementPrompt(first: string, second: string): Messages {
  const { code, blocks } = fence({ first, second });
  return [
    { role: 'system', content: INSTRUCTIONS },
    {
      role: 'user',
      content: `${codeNotice('Both passages', code)}

${blocks.first.block}

${blocks.second.block}

The passages end here. Do they disagree? Answer with the JSON object: {"reason": string, "disagree": true or false, "question": string or null, "yes": string or null, "no": string or null, "speaksForYes": "first", "second" or null}`,
    },
  ];
}

const agrees = z.object({ disagree: yesOrNo.pipe(z.literal(false)), reason });
export type NoDisagreement = Read<typeof agrees>;

const disagrees = z.object({
  disagree: yesOrNo.pipe(z.literal(true)),
  question: wording,
  /** The statement that answers the question with yes. */
  yes: wording,
  /** The statement that answers it with no. */
  no: wording,
  /** Which passage supports `yes`. The other one supports `no`. */
  speaksForYes: z
    .string()
    .transform((word) => word.trim().toLowerCase())
    .pipe(z.enum(['first', 'second'])),
  reason,
});
export type Disagreement = Read<typeof disagrees>;

/** Parses an answer to {@link disagreementPrompt}. Two wordings of one statement are not two sides. */
export function parseDisagreement(answer: string): Disagreement | NoDisagreement | Unparsable {
  const parsed = onlyAnswer<Disagreement | NoDisagreement>(
    answer,
    z.union([agrees, disagrees]),
    'The answer does not say whether the passages disagree, on which question, and which stands where.',
  );
  if ('disagree' in parsed && parsed.disagree && sameStatement(parsed.yes, parsed.no))
    return unparsable('The answer gives the same statement for both sides.');
  return parsed;
}

function sameStatement(a: string, b: string): boolean {
  return normalizePerspective(a) === normalizePerspective(b);
}
