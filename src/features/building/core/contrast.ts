/**
 * Asks a chat model for contrasting perspectives on a root query, and selects the passages that distinguish them.
 *
 * Source: PIR, section 2.2: at least two perspectives for each root query, with mutually exclusive gold passages. The
 * wording is our own.
 */
import type { Verdict } from '../../../core/model.ts';
import type { Messages } from '../../../core/judging/prompts/instructions.ts';
import { QUESTION_NOTICE, questionPrompt } from './question-prompt.ts';

/** Increment with any change to the wording below. */
export const CONTRAST_PROMPT_VERSION = 'contrast-1';

const INSTRUCTIONS = `You are given a question and write statements that answer it from contrasting perspectives.

- Every statement is one plain, full sentence that answers the question and can be understood without it.
- The statements exclude each other: a text that speaks for one of them cannot at the same time speak for another one. Where the question can be affirmed or denied, one affirms it and one denies it; further ones must differ from both.
- They differ in as few words as possible, and only in the perspective.
- Somebody could seriously hold each of them. Add no facts that the question does not call for.

${QUESTION_NOTICE}

Answer with one JSON object and nothing around it. Each key is a short, telling name of a perspective in words separated by spaces, each value is the statement.`;

/**
 * For `parsePerspectives`.
 *
 * @param count the number of perspectives to ask for, at least 2
 */
export function contrastPrompt(question: string, count: number): Messages {
  return questionPrompt(
    INSTRUCTIONS,
    question,
    `Write ${count} statements. Answer with the JSON object: {"name": "statement", ...}`,
  );
}

/** Indices of a passage and the one perspective that it supports. */
export interface GoldPassage {
  readonly passage: number;
  readonly perspective: number;
}

/**
 * Passages that support exactly one perspective, if at least two perspectives have such a passage. Unjudged and
 * "unsure" pairs are not "no", so such a passage distinguishes nothing.
 *
 * @param matrix [passages, perspectives]; `undefined` for unjudged pairs
 * @returns in passage order; empty if fewer than two perspectives have one
 */
export function exclusiveGold(matrix: readonly (readonly (Verdict | undefined)[])[]): GoldPassage[] {
  const gold = matrix.flatMap((verdicts, passage) => {
    const perspective = verdicts.indexOf('yes');
    const excludesOthers = verdicts.every((verdict, place) => place === perspective || verdict === 'no');
    return perspective >= 0 && excludesOthers ? [{ passage, perspective }] : [];
  });
  return new Set(gold.map(({ perspective }) => perspective)).size < 2 ? [] : gold;
}
