/** Has questions answered from passages, and judges which perspectives each answer represents. */
import { closedBookPrompt, groundedPrompt } from '../../core/answers/answer-prompt.ts';
import {
  parseAnswerByRule,
  parseWrittenAnswer,
  type WrittenAnswer,
} from '../../core/answers/answer-parse.ts';
import { holdsGoldAnswer } from '../../core/answers/gold-answer.ts';
import { representationPrompt } from '../../core/answers/representation-prompt.ts';
import { ParallaxError, throwIfCancelled } from '../../../../core/errors.ts';
import type { ChatMessage } from '../../../../core/judging/chat-message.ts';
import { inOrder, locateEvidence } from '../../../../core/judging/replies/evidence.ts';
import { askedAgain } from '../../../../core/judging/prompts/instructions.ts';
import { unparsable, type ParsedAnswer, type Unparsable } from '../../../../core/judging/replies/parse.ts';
import {
  answerRuleOf,
  filledTemplate,
  promptTask,
  type PromptTask,
  type PromptTemplate,
} from '../../../../core/judging/prompts/template.ts';
import { parseByRule } from '../../../../core/judging/replies/template-parse.ts';
import { parsePassageAnswer } from '../../../../core/judging/replies/passage-parse.ts';
import { MAX_STATEMENTS } from '../../../../core/judging/prompts/passage-prompt.ts';
import type { Span, Verdict } from '../../../../core/model.ts';
import type { Budget } from '../../../../engine/judgements/budget.ts';
import { isHopeless } from '../../../../engine/models/chat-model.ts';
import type { PaidReplies } from '../../../../engine/models/paid-replies.ts';
import type { PaidReply } from '../../../../engine/models/reply-cache.ts';
import { runPool } from '../../../../engine/concurrency/bounded.ts';
import { Pace } from '../../../../engine/concurrency/pace.ts';
import type { WorkOptions } from '../../../../engine/types.ts';
import { Asking, type AnswerModel, type AnswerWork } from './asking.ts';

/** A question with the passages to answer it from. */
export interface AnswerTask {
  readonly question: string;
  /** Texts, best first. `undefined` for the model on its own. */
  readonly passages: readonly string[] | undefined;
  /** Statements that a complete answer represents. Empty if gold answers decide everything that is shown. */
  readonly perspectives: readonly string[];
  /** Gold answers: a model is asked whether the answer is right if none of them occurs in it literally. */
  readonly gold?: readonly string[] | undefined;
}

/** Whether an answer represents one perspective. */
interface Representation {
  readonly verdict: Verdict;
  /** Places in the answer. */
  readonly evidence: readonly Span[];
  /** Whether the judge's reply was unreadable, which counts as "unsure". */
  readonly unreadable: boolean;
}

export interface AnswerOutcome {
  /** `open`: not started or not judged, because no further requests were allowed. */
  readonly state: 'judged' | 'unreadable' | 'failed' | 'open';
  readonly written?: WrittenAnswer | undefined;
  /** In the order of the perspectives. Empty unless judged. */
  readonly representations: readonly Representation[];
  /** Whether it is right by the gold answers. `undefined` without them; "unsure" if the verdict is unreadable. */
  readonly right?: Verdict | undefined;
  /** Why it is not judged, or what was cut, as a sentence. */
  readonly note?: string | undefined;
}

export interface AnswerModels {
  readonly generator: AnswerModel;
  readonly judge: AnswerModel;
  readonly replies: PaidReplies;
}

export interface WrittenAnswers {
  /** In the order of the tasks. */
  readonly outcomes: readonly AnswerOutcome[];
  readonly work: AnswerWork;
  /** Whether the budget ran out before every answer was written. */
  readonly stopped: boolean;
  /** The error of the first failure. */
  readonly error?: ParallaxError | undefined;
}

/**
 * After this many questions in a row fail with all their retries, the rest would fail too. Counts questions, because a
 * model that rejects a question fails on it from every source.
 */
const STOP_AFTER_FAILURES = 3;

/**
 * Every reply is stored before it is used, so that a run that was cancelled, killed or stopped by its budget can
 * continue. Tasks with the same prompt share a request.
 *
 * @throws ParallaxError `cancelled`
 */
export async function writeAnswers(
  tasks: readonly AnswerTask[],
  models: AnswerModels,
  budget: Budget,
  { signal, onProgress }: WorkOptions,
): Promise<WrittenAnswers> {
  const asking = new Asking(models.replies, budget, signal);
  const outcomes = new Array<AnswerOutcome>(tasks.length).fill(OPEN);
  const pace = new Pace({ signal });
  let error: ParallaxError | undefined;
  const failedInARow = new Set<string>();
  let done = 0;
  const fail = (failure: ParallaxError, { question }: AnswerTask): AnswerOutcome => {
    error ??= failure;
    failedInARow.add(question);
    const pointless = isHopeless(failure) || failure.id === 'store-unusable';
    if (failedInARow.size >= STOP_AFTER_FAILURES || pointless) asking.halt();
    return { state: 'failed', representations: [], note: failure.message };
  };
  // Each task has one request in flight at a time, to either model.
  const concurrency = Math.min(models.generator.concurrency, models.judge.concurrency);
  await runPool(tasks.length, concurrency, signal, async (place) => {
    const answering = new Answering(tasks[place]!, models, asking);
    try {
      outcomes[place] = await answering.outcome();
      if (outcomes[place].state !== 'open') failedInARow.clear();
    } catch (failure) {
      if (!ParallaxError.is(failure) || failure.id === 'cancelled') throw failure;
      outcomes[place] = { ...fail(failure, tasks[place]!), written: answering.written };
    }
    onProgress?.({ done: ++done, total: tasks.length });
    if (pace.due) await pace.rest();
  });
  throwIfCancelled(signal);
  const stopped = budget.isSpent && outcomes.some(({ state }) => state === 'open');
  return { outcomes, work: asking.work, stopped, ...(error ? { error } : {}) };
}

const OPEN: AnswerOutcome = { state: 'open', representations: [] };

export interface AnswerPrompt {
  readonly messages: readonly ChatMessage[];
  /** The same after an unreadable reply. `undefined` for a prompt of the user's own, which nothing is added to. */
  readonly again?: readonly ChatMessage[];
}

/** A prompt of the generator's own is for answers from passages. */
export function answerPrompt({ question, passages }: AnswerTask, generator: AnswerModel): AnswerPrompt {
  const template = passages && promptFor(generator, 'write');
  if (template) return { messages: filledTemplate(template, { question, passages }).messages };
  const messages = passages ? groundedPrompt(question, passages) : closedBookPrompt(question);
  return { messages, again: askedAgain(messages) };
}

/** Parses the answer in a reply to {@link answerPrompt}. */
export function readWritten(
  { text, incomplete }: PaidReply,
  { passages }: AnswerTask,
  generator: AnswerModel,
): WrittenAnswer | Unparsable {
  if (incomplete !== undefined) return unparsable(incomplete);
  const template = passages && promptFor(generator, 'write');
  return template ? parseAnswerByRule(text, template) : parseWrittenAnswer(text);
}

/**
 * The question to the judge whether an answer is right. `undefined` if no request is needed: there are no gold answers,
 * one of them occurs literally, or the judge has no prompt for it.
 */
export function correctnessPrompt(
  { question, gold, passages = [] }: AnswerTask,
  answer: string,
  judge: AnswerModel,
): readonly ChatMessage[] | undefined {
  const template = gold && promptFor(judge, 'compare');
  if (!template || answer === '' || holdsGoldAnswer(answer, gold, passages.length)) return undefined;
  return filledTemplate(template, { question, answers: gold, prediction: answer }).messages;
}

function promptFor({ prompt }: AnswerModel, task: PromptTask): PromptTemplate | undefined {
  return prompt && promptTask(prompt) === task ? prompt : undefined;
}

/** An answer in progress. */
class Answering {
  /** Set even if judging the answer fails. */
  written: WrittenAnswer | undefined;
  readonly #task: AnswerTask;
  readonly #models: AnswerModels;
  readonly #asking: Asking;

  constructor(task: AnswerTask, models: AnswerModels, asking: Asking) {
    this.#task = task;
    this.#models = models;
    this.#asking = asking;
  }

  /** @throws ParallaxError if a model did not answer */
  async outcome(): Promise<AnswerOutcome> {
    const read = await this.#write();
    if (!read) return OPEN;
    if ('unparsable' in read) return { state: 'unreadable', representations: [], note: read.reason };
    this.written = read;
    const { perspectives } = this.#task;
    const right = await this.#isRight(read.text);
    if (right === 'open') return { ...OPEN, written: read };
    // An empty answer represents nothing, so no request is needed.
    if (read.text === '')
      return this.#judged(
        perspectives.map(() => ({ verdict: 'no', evidence: [] })),
        right,
      );
    const verdicts: (ParsedAnswer | Unparsable)[] = [];
    for (let first = 0; first < perspectives.length; first += MAX_STATEMENTS) {
      const judged = await this.#represents(read.text, perspectives.slice(first, first + MAX_STATEMENTS));
      if (!judged) return { ...OPEN, written: read };
      verdicts.push(...judged);
    }
    return this.#judged(verdicts, right);
  }

  /** Asks the judge only if no gold answer occurs in the answer. */
  async #isRight(answer: string): Promise<Verdict | 'open' | undefined> {
    const { gold, passages = [] } = this.#task;
    if (!gold) return undefined;
    const { judge } = this.#models;
    const prompt = correctnessPrompt(this.#task, answer, judge);
    if (!prompt) return holdsGoldAnswer(answer, gold, passages.length) ? 'yes' : 'no';
    const reply = await this.#asking.ask(judge, prompt);
    if (!reply) return 'open';
    const read =
      reply.incomplete === undefined ? parseByRule(reply.text, answerRuleOf(judge.prompt!)) : undefined;
    return !read || 'unparsable' in read ? 'unsure' : read.verdict;
  }

  /** Asks once, and once more if the reply is unreadable. */
  async #write(): Promise<WrittenAnswer | Unparsable | undefined> {
    const { generator } = this.#models;
    const prompt = answerPrompt(this.#task, generator);
    const reply = await this.#asking.ask(generator, prompt.messages);
    const read = reply && readWritten(reply, this.#task, generator);
    if (!read || !('unparsable' in read) || !prompt.again) return read;
    const again = await this.#asking.ask(generator, prompt.again);
    return again && readWritten(again, this.#task, generator);
  }

  /** Asks about all perspectives, and once more about those whose verdict is unreadable. */
  async #represents(
    answer: string,
    perspectives: readonly string[],
  ): Promise<(ParsedAnswer | Unparsable)[] | undefined> {
    const first = await this.#verdicts(answer, perspectives, false);
    const unread = first?.flatMap((verdict, place) => ('unparsable' in verdict ? [place] : [])) ?? [];
    if (!first || unread.length === 0) return first;
    const unreadPerspectives = unread.map((place) => perspectives[place]!);
    const second = await this.#verdicts(answer, unreadPerspectives, true);
    return second && first.map((verdict, place) => second[unread.indexOf(place)] ?? verdict);
  }

  async #verdicts(
    answer: string,
    perspectives: readonly string[],
    again: boolean,
  ): Promise<(ParsedAnswer | Unparsable)[] | undefined> {
    const { messages } = representationPrompt(this.#task.question, answer, perspectives);
    const reply = await this.#asking.ask(this.#models.judge, again ? askedAgain(messages) : messages);
    if (!reply) return undefined;
    if (reply.incomplete === undefined) return [...parsePassageAnswer(reply.text, perspectives.length)];
    const { incomplete } = reply;
    return perspectives.map(() => unparsable(incomplete));
  }

  #judged(verdicts: readonly (ParsedAnswer | Unparsable)[], right: Verdict | undefined): AnswerOutcome {
    const written = this.written!;
    const { cut } = representationPrompt(
      this.#task.question,
      written.text,
      this.#task.perspectives.slice(0, 1),
    );
    const unread = verdicts.find((verdict) => 'unparsable' in verdict);
    const note = [unread?.reason, cut].filter(Boolean).join(' ');
    return {
      state: 'judged',
      written,
      representations: verdicts.map((verdict) => representationOf(verdict, written.text)),
      ...(right === undefined ? {} : { right }),
      ...(note ? { note } : {}),
    };
  }
}

function representationOf(parsed: ParsedAnswer | Unparsable, answer: string): Representation {
  if ('unparsable' in parsed) return { verdict: 'unsure', evidence: [], unreadable: true };
  const { verdict, evidence } = parsed;
  // Evidence marks where the perspective is represented; a quote with a "no" is something else.
  const spans = verdict === 'no' ? [] : inOrder(evidence.flatMap((quote) => locateEvidence(answer, quote)));
  return { verdict, evidence: spans, unreadable: false };
}
