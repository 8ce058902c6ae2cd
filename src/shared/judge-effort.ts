/** The cost of judging before it is begun: requests, tokens, and a price where prices are known. */

import type { Effort, PriceTable, Range } from './requests/spending.ts';
import { MAX_STATEMENTS } from '../core/judging/prompts/passage-prompt.ts';

/** The size of a judging task. */
export interface Workload {
  /** Pairs of a passage and a perspective. */
  readonly pairs: number;
  /** Passages among them: a judge that is asked by passage gets one request for each. */
  readonly passages: number;
  /** Mean length of a passage, in UTF-16 code units. */
  readonly passageLength: number;
}

/** English text has about four characters a token; other languages have fewer, so that this is a low estimate. */
export const CHARACTERS_PER_TOKEN = 4;
/** Criteria and instructions, which every request repeats. */
const INSTRUCTION_TOKENS = 600;
/** Question, title, section and neighbouring sentences, which a request about a whole passage shows. */
const CONTEXT_TOKENS = 50;
/** A verdict with a quoted sentence and a reason; a bare verdict; an argument of a debate. */
const ANSWER_TOKENS = 90;
/** The same among others in one answer, whose reason is a few words. */
const SHORT_ANSWER_TOKENS = 60;
const BARE_TOKENS = 3;
const ARGUMENT_TOKENS = 250;
const PERSPECTIVE_TOKENS = 25;
/** An answer to a question, at most 200 words; whether it represents one perspective, with a quoted sentence. */
const WRITTEN_TOKENS = 200;
const REPRESENTATION_TOKENS = 50;

const NOTHING: Range = { least: 0, most: 0 };
export const FREE: Effort = {
  requests: NOTHING,
  promptTokens: NOTHING,
  completionTokens: NOTHING,
  price: NOTHING,
};

/** How a chat model is asked, as far as its cost depends on it. */
export interface ChatJudgeForm {
  readonly mode: 'pair' | 'passage';
  readonly explain: boolean;
  readonly askAgain?: boolean | undefined;
}

/** Answers to be written, and answers to be judged. */
export interface AnswerWorkload {
  /** Answers to be written. */
  readonly answers: number;
  /** The length of all their prompts, in UTF-16 code units. */
  readonly promptLength: number;
  /** Requests that judge answers; of those still to be written, the answer is not part of the length. */
  readonly judgements: number;
  readonly judgePromptLength: number;
  /** Verdicts that those requests ask for. */
  readonly perspectives: number;
}

/** @param models as prices know them */
export function answersEffort(
  { answers, promptLength, judgements, judgePromptLength, perspectives }: AnswerWorkload,
  models: { readonly generator: string; readonly judge: string },
  prices: PriceTable,
): Effort {
  const judged = judgePromptLength / CHARACTERS_PER_TOKEN + answers * WRITTEN_TOKENS;
  return totalEffort([
    exactly(models.generator, answers, promptLength / CHARACTERS_PER_TOKEN, answers * WRITTEN_TOKENS, prices),
    exactly(models.judge, judgements, judged, perspectives * REPRESENTATION_TOKENS, prices),
  ]);
}

/** @param model as prices know it */
export function chatEffort(
  model: string | undefined,
  { mode, explain, askAgain = true }: ChatJudgeForm,
  { pairs, passages, passageLength }: Workload,
  prices: PriceTable,
): Effort {
  const byPassage = mode === 'passage';
  const asked = byPassage ? passageRequests(pairs, passages) : pairs;
  const answer = explain ? (byPassage ? SHORT_ANSWER_TOKENS : ANSWER_TOKENS) : BARE_TOKENS;
  const around = INSTRUCTION_TOKENS + (byPassage ? CONTEXT_TOKENS : 0);
  const prompt = asked * (around + passageLength / CHARACTERS_PER_TOKEN) + pairs * PERSPECTIVE_TOKENS;
  const effort = exactly(model, asked, prompt, pairs * answer, prices);
  // Bare verdicts quote nothing.
  return explain && askAgain ? { ...effort, mayAskAgain: true } : effort;
}

/** Requests that ask about all pairs of a passage at once: one, or several where it has very many pairs. */
function passageRequests(pairs: number, passages: number): number {
  return passages * Math.max(1, Math.ceil(pairs / passages / MAX_STATEMENTS));
}

/**
 * One turn of an agent in each of the pairs' debates.
 *
 * @param model as prices know it
 */
export function argumentEffort(
  model: string | undefined,
  { pairs, passageLength }: Workload,
  prices: PriceTable,
): Effort {
  const prompt =
    INSTRUCTION_TOKENS + passageLength / CHARACTERS_PER_TOKEN + PERSPECTIVE_TOKENS + ARGUMENT_TOKENS;
  return exactly(model, pairs, pairs * prompt, pairs * ARGUMENT_TOKENS, prices);
}

function exactly(
  model: string | undefined,
  requests: number,
  promptTokens: number,
  completionTokens: number,
  prices: PriceTable,
): Effort {
  const known = model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
  const one = (value: number): Range => ({ least: value, most: value });
  return {
    requests: one(requests),
    promptTokens: one(Math.round(promptTokens)),
    completionTokens: one(Math.round(completionTokens)),
    ...(known ? { price: one((promptTokens * known.input + completionTokens * known.output) / 1e6) } : {}),
  };
}

/** All of them together; without a price where one of them has none. */
export function totalEffort(efforts: readonly Effort[]): Effort {
  const total = (pick: (effort: Effort) => Range): Range => ({
    least: efforts.reduce((all, effort) => all + pick(effort).least, 0),
    most: efforts.reduce((all, effort) => all + pick(effort).most, 0),
  });
  return {
    requests: total(({ requests }) => requests),
    promptTokens: total(({ promptTokens }) => promptTokens),
    completionTokens: total(({ completionTokens }) => completionTokens),
    ...(efforts.every(({ price }) => price) ? { price: total(({ price }) => price!) } : {}),
    ...askingAgain(efforts),
  };
}

/** The least of one and the most of another. */
export function between(low: Effort, high: Effort): Effort {
  const range = (pick: (effort: Effort) => Range): Range => ({
    least: pick(low).least,
    most: pick(high).most,
  });
  return {
    requests: range(({ requests }) => requests),
    promptTokens: range(({ promptTokens }) => promptTokens),
    completionTokens: range(({ completionTokens }) => completionTokens),
    ...(low.price && high.price ? { price: range(({ price }) => price!) } : {}),
    ...askingAgain([low, high]),
  };
}

/** How many times as much, between the least and the most. */
export function times(effort: Effort, least: number, most: number): Effort {
  const scaled = (range: Range): Range => ({ least: range.least * least, most: range.most * most });
  return {
    requests: scaled(effort.requests),
    promptTokens: scaled(effort.promptTokens),
    completionTokens: scaled(effort.completionTokens),
    ...(effort.price ? { price: scaled(effort.price) } : {}),
    ...askingAgain([effort]),
  };
}

function askingAgain(efforts: readonly Effort[]): Pick<Effort, 'mayAskAgain'> {
  return efforts.some(({ mayAskAgain }) => mayAskAgain) ? { mayAskAgain: true } : {};
}
