/** The number of cached answers of a run, and the effort for the rest. */
import type { WrittenAnswer } from '../../core/answers/answer-parse.ts';
import { representationPrompt } from '../../core/answers/representation-prompt.ts';
import { askedAgain, type Messages } from '../../../../core/judging/prompts/instructions.ts';
import type { Unparsable } from '../../../../core/judging/replies/parse.ts';
import { MAX_STATEMENTS } from '../../../../core/judging/prompts/passage-prompt.ts';
import { answersEffort, type AnswerWorkload } from '../../../../shared/judge-effort.ts';
import type { Effort, PriceTable } from '../../../../shared/requests/spending.ts';
import { Pace } from '../../../../engine/concurrency/pace.ts';
import type { WorkOptions } from '../../../../engine/types.ts';
import { answerPrompt, readWritten, type AnswerModels, type AnswerTask } from './write-answers.ts';

export interface OpenAnswers {
  /** The number of distinct answers; tasks with the same prompt share one. */
  readonly answers: number;
  /** The number of cached answers, which need no request. */
  readonly known: number;
  readonly effort: Effort;
}

/**
 * Counts the requests without sending any. Does not account for repeated requests after unreadable answers.
 *
 * @throws ParallaxError `cancelled`
 */
export async function openAnswers(
  tasks: readonly AnswerTask[],
  models: AnswerModels,
  prices: PriceTable,
  { signal }: WorkOptions = {},
): Promise<OpenAnswers> {
  const pace = new Pace({ signal });
  const seen = new Set<string>();
  const total = { answers: 0, promptLength: 0, judgements: 0, judgePromptLength: 0, perspectives: 0 };
  let known = 0;
  for (const task of tasks) {
    const prompt = answerPrompt(task);
    const identity = JSON.stringify([prompt, task.perspectives]);
    if (seen.has(identity)) continue;
    seen.add(identity);
    const own = workloadOf(task, prompt, models);
    for (const key of Object.keys(total) as (keyof AnswerWorkload)[]) total[key] += own[key];
    if (own.answers + own.judgements === 0) known++;
    if (pace.due) await pace.rest();
  }
  const names = { generator: models.generator.model.model, judge: models.judge.model.model };
  return { answers: seen.size, known, effort: answersEffort(total, names, prices) };
}

function workloadOf(task: AnswerTask, prompt: Messages, models: AnswerModels): AnswerWorkload {
  const { judge, replies } = models;
  const written = keptAnswer(prompt, models);
  const open = (written && 'unparsable' in written ? [] : chunks(task.perspectives))
    .map((perspectives) => ({
      count: perspectives.length,
      messages: representationPrompt(task.question, written?.text ?? '', perspectives).messages,
    }))
    .filter(
      ({ messages }) => !written || (written.text !== '' && !replies.storedReply(judge.model, messages)),
    );
  return {
    answers: written ? 0 : 1,
    promptLength: written ? 0 : lengthOf(prompt),
    judgements: open.length,
    judgePromptLength: open.reduce((sum, { messages }) => sum + lengthOf(messages), 0),
    perspectives: open.reduce((sum, { count }) => sum + count, 0),
  };
}

/** `undefined` if a request is needed. */
function keptAnswer(
  prompt: Messages,
  { generator: { model }, replies }: AnswerModels,
): WrittenAnswer | (Unparsable & { readonly text?: undefined }) | undefined {
  const first = replies.storedReply(model, prompt);
  const read = first && readWritten(first);
  if (!read || !('unparsable' in read)) return read;
  const second = replies.storedReply(model, askedAgain(prompt));
  return second && readWritten(second);
}

function chunks(perspectives: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(perspectives.length / MAX_STATEMENTS) }, (_, place) =>
    perspectives.slice(place * MAX_STATEMENTS, (place + 1) * MAX_STATEMENTS),
  );
}

function lengthOf(messages: Messages): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}
