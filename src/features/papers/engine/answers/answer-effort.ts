/** The number of cached answers of a run, and the effort for the rest. */
import type { WrittenAnswer } from '../../core/answers/answer-parse.ts';
import { representationPrompt } from '../../core/answers/representation-prompt.ts';
import type { ChatMessage } from '../../../../core/judging/chat-message.ts';
import type { Unparsable } from '../../../../core/judging/replies/parse.ts';
import { MAX_STATEMENTS } from '../../../../core/judging/prompts/passage-prompt.ts';
import { answersEffort, type AnswerWorkload } from '../../../../shared/judge-effort.ts';
import type { Effort, PriceTable } from '../../../../shared/requests/spending.ts';
import { Pace } from '../../../../engine/concurrency/pace.ts';
import type { WorkOptions } from '../../../../engine/types.ts';
import {
  answerPrompt,
  correctnessPrompt,
  readWritten,
  type AnswerModels,
  type AnswerPrompt,
  type AnswerTask,
} from './write-answers.ts';

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
  const identities = new Set<string>();
  const total = { answers: 0, promptLength: 0, judgements: 0, judgePromptLength: 0, perspectives: 0 };
  let known = 0;
  for (const task of tasks) {
    const prompt = answerPrompt(task, models.generator);
    const identity = JSON.stringify([prompt.messages, task.perspectives, task.gold]);
    if (identities.has(identity)) continue;
    identities.add(identity);
    const workload = workloadOf(task, prompt, models);
    for (const key of Object.keys(total) as (keyof AnswerWorkload)[]) total[key] += workload[key];
    if (workload.answers + workload.judgements === 0) known++;
    if (pace.due) await pace.rest();
  }
  const names = { generator: models.generator.model.model, judge: models.judge.model.model };
  return { answers: identities.size, known, effort: answersEffort(total, names, prices) };
}

function workloadOf(task: AnswerTask, prompt: AnswerPrompt, models: AnswerModels): AnswerWorkload {
  const { judge, replies } = models;
  const written = keptAnswer(task, prompt, models);
  const open = (written && 'unparsable' in written ? [] : chunks(task.perspectives))
    .map((perspectives) => ({
      count: perspectives.length,
      messages: representationPrompt(task.question, written?.text ?? '', perspectives).messages,
    }))
    .filter(
      ({ messages }) => !written || (written.text !== '' && !replies.storedReply(judge.model, messages)),
    );
  const compared = correctnessOf(task, written, models);
  return {
    answers: written ? 0 : 1,
    promptLength: written ? 0 : lengthOf(prompt.messages),
    judgements: open.length + (compared ? 1 : 0),
    judgePromptLength:
      open.reduce((sum, { messages }) => sum + lengthOf(messages), 0) + lengthOf(compared ?? []),
    perspectives: open.reduce((sum, { count }) => sum + count, 0) + (compared ? 1 : 0),
  };
}

/** The request that the gold answers of a task may need. `undefined` if it needs none. */
function correctnessOf(
  task: AnswerTask,
  written: ReturnType<typeof keptAnswer>,
  { judge, replies }: AnswerModels,
): readonly ChatMessage[] | undefined {
  if (written && 'unparsable' in written) return undefined;
  // An answer that is not written yet is one that no gold answer occurs in.
  const messages = correctnessPrompt(task, written?.text ?? '?', judge);
  return messages && replies.storedReply(judge.model, messages) ? undefined : messages;
}

/** `undefined` if a request is needed. */
function keptAnswer(
  task: AnswerTask,
  prompt: AnswerPrompt,
  { generator, replies }: AnswerModels,
): WrittenAnswer | (Unparsable & { readonly text?: undefined }) | undefined {
  const { model } = generator;
  const first = replies.storedReply(model, prompt.messages);
  const read = first && readWritten(first, task, generator);
  if (!read || !('unparsable' in read) || !prompt.again) return read;
  const second = replies.storedReply(model, prompt.again);
  return second && readWritten(second, task, generator);
}

function chunks(perspectives: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(perspectives.length / MAX_STATEMENTS) }, (_, place) =>
    perspectives.slice(place * MAX_STATEMENTS, (place + 1) * MAX_STATEMENTS),
  );
}

function lengthOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}
