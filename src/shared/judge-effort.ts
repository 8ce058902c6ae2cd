/** The estimated cost of judging: requests, tokens, and a price if prices are known. */

import type { Effort, PriceTable, Range } from './requests/spending.ts';
import { MAX_STATEMENTS } from '../core/judging/prompts/passage-prompt.ts';

/** The size of a judging task. */
export interface Workload {
  /** Pairs of a passage and a perspective. */
  readonly pairs: number;
  /** Passages among them. A judge that is asked by passage gets one request for each. */
  readonly passages: number;
  /** Mean length of a passage, in UTF-16 code units. */
  readonly passageLength: number;
}

/** English has about four characters per token. Other languages have fewer, so the estimate is low for them. */
export const CHARACTERS_PER_TOKEN = 4;
/** Criteria and instructions, repeated in every request. */
const INSTRUCTION_TOKENS = 600;
/** Question, title, section and neighbouring sentences, included in requests about whole passages. */
const CONTEXT_TOKENS = 50;
/** Tokens of a verdict with a quote and a reason. */
const ANSWER_TOKENS = 90;
/** Tokens of a verdict among several in one answer, with a short reason. */
const SHORT_ANSWER_TOKENS = 60;
const BARE_TOKENS = 3;
const ARGUMENT_TOKENS = 250;
const PERSPECTIVE_TOKENS = 25;
/**
 * An answer of at most 200 words to a question, and a verdict with a quote on whether it represents one perspective.
 */
const WRITTEN_TOKENS = 200;
const REPRESENTATION_TOKENS = 50;

const NOTHING: Range = { least: 0, most: 0 };
export const FREE: Effort = {
  requests: NOTHING,
  promptTokens: NOTHING,
  completionTokens: NOTHING,
  price: NOTHING,
};

/** The settings of a chat judge that influence its cost. */
export interface ChatJudgeForm {
  readonly mode: 'pair' | 'passage';
  readonly explain: boolean;
  readonly askAgain?: boolean | undefined;
}

/** Answers to write and to judge. */
export interface AnswerWorkload {
  readonly answers: number;
  /** The total length of their prompts, in UTF-16 code units. */
  readonly promptLength: number;
  /** Requests that judge answers. Their length does not include answers that are not written yet. */
  readonly judgements: number;
  readonly judgePromptLength: number;
  /** Verdicts in those requests. */
  readonly perspectives: number;
}

/** @param models by their names in the price table */
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

/** @param model its name in the price table */
export function chatEffort(
  model: string | undefined,
  { mode, explain, askAgain = true }: ChatJudgeForm,
  { pairs, passages, passageLength }: Workload,
  prices: PriceTable,
): Effort {
  const byPassage = mode === 'passage';
  const requests = byPassage ? passageRequests(pairs, passages) : pairs;
  const answer = explain ? (byPassage ? SHORT_ANSWER_TOKENS : ANSWER_TOKENS) : BARE_TOKENS;
  const around = INSTRUCTION_TOKENS + (byPassage ? CONTEXT_TOKENS : 0);
  const prompt = requests * (around + passageLength / CHARACTERS_PER_TOKEN) + pairs * PERSPECTIVE_TOKENS;
  const effort = exactly(model, requests, prompt, pairs * answer, prices);
  // Bare verdicts have no quotes to ask about again.
  return explain && askAgain ? { ...effort, mayAskAgain: true } : effort;
}

/** Requests about all pairs of a passage: one per passage, or several if it has very many pairs. */
function passageRequests(pairs: number, passages: number): number {
  return passages * Math.max(1, Math.ceil(pairs / passages / MAX_STATEMENTS));
}

/**
 * One turn of an agent in the debates about all pairs.
 *
 * @param model its name in the price table
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

/** The sum of efforts. Without a price if one of them has none. */
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

/** From the least of one to the most of the other. */
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

/** Multiplies the least and the most by separate factors. */
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
