/** Shared by the tests of judges: pairs, a clock that does not wait, and a chat judge on a scripted server. */
import type { TestContext } from 'node:test';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import type { Judgement } from '../../../src/core/model.ts';
import type { PromptForm } from '../../../src/core/judging/prompts/prompt-form.ts';
import type { DecidedVerdict } from '../../../src/core/model.ts';
import { createCachedJudge, type CachedJudge } from '../../../src/engine/judgements/cached-judge.ts';
import { createChatJudge } from '../../../src/engine/judges/chat-judge.ts';
import type { ChatModel } from '../../../src/engine/models/chat-model.ts';
import { createDebateJudge, type DebateJudgeSettings } from '../../../src/engine/judges/debate-judge.ts';
import type { Delivery, Judge, JudgeOptions, JudgePair } from '../../../src/engine/judges/judge.ts';
import type { OpenAiSettings } from '../../../src/engine/models/openai-client.ts';
import { createOpenAiModel } from '../../../src/engine/models/openai-model.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { PaidReplies } from '../../../src/engine/models/paid-replies.ts';
import type { Timing } from '../../../src/engine/models/retry.ts';
import type { Database } from '../../../src/engine/store/database.ts';
import {
  argumentReply,
  startModelServer,
  type ChatReply,
  type ChatRequest,
  type ModelServer,
  type ModelServerScript,
} from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';

/** Time passes only during a sleep, and sleeping takes no real time. */
export class QuickTiming implements Timing {
  readonly sleeps: number[] = [];
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    this.sleeps.push(ms);
    this.#now += ms;
    return Promise.resolve();
  }

  random(): number {
    return 0.5;
  }
}

export async function serverFor(t: TestContext, script: ModelServerScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  t.after(() => server.close());
  return server;
}

export interface JudgeSetup extends Partial<OpenAiSettings> {
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  readonly timing?: Timing;
  readonly form?: PromptForm;
  readonly askAgain?: boolean;
}

export function modelOn(
  baseUrl: string,
  settings: Partial<OpenAiSettings> = {},
  timing: Timing = new QuickTiming(),
): ChatModel {
  return createOpenAiModel(
    { baseUrl, model: 'scripted', keyName: 'openai', maxRetries: 4, ...settings },
    timing,
  );
}

/** One pair per request, so that a script answers one pair at a time. */
export const PAIR_FORM: PromptForm = { mode: 'pair', explain: true, shots: 0 };

export function judgeOn(baseUrl: string, setup: JudgeSetup = {}): Judge {
  const { concurrency = 4, timeoutMs = 5_000, timing, form = PAIR_FORM, askAgain, ...settings } = setup;
  return createChatJudge({
    name: 'main',
    model: modelOn(baseUrl, settings, timing),
    standard: STANDARDS.berds,
    form,
    askAgain,
    concurrency,
    timeoutMs,
    now: () => Date.UTC(2026, 0, 1),
  });
}

/** A debate of one model with itself, unless configured otherwise. */
export function debateOn(baseUrl: string, setup: Partial<DebateJudgeSettings> = {}): Judge {
  const agent = { model: modelOn(baseUrl), timeoutMs: 5_000 };
  return createDebateJudge({
    name: 'debate',
    agents: [agent, agent],
    rounds: 2,
    standard: STANDARDS.berds,
    includeQuestion: false,
    concurrency: 4,
    replies: new PaidReplies(undefined),
    now: () => Date.UTC(2026, 0, 1),
    ...setup,
  });
}

export type DurableKind = 'single model' | 'debate';

/** The judge of the tests that kill a process: many concurrent requests, short timeouts, everything stored in `db`. */
export function durableJudge(kind: DurableKind, baseUrl: string, db: Database): CachedJudge {
  const cache = new JudgementCache(db);
  const timeoutMs = 1_000;
  const agent = { model: modelOn(baseUrl), timeoutMs };
  const judge =
    kind === 'single model'
      ? judgeOn(baseUrl, { concurrency: DURABLE_CONCURRENCY, timeoutMs })
      : debateOn(baseUrl, {
          agents: [agent, agent],
          concurrency: DURABLE_CONCURRENCY / 2,
          replies: new PaidReplies(cache.replies),
        });
  return createCachedJudge(judge, cache);
}

/** Requests in flight of a {@link durableJudge}. */
export const DURABLE_CONCURRENCY = 8;

/** The role in a debate prompt. */
export interface DebatePart {
  /** The initial stance in the first round, the label of the previous round later. */
  readonly side: DecidedVerdict | 'adjudicator';
  readonly isFirstRound: boolean;
  readonly texts: Readonly<Record<string, string>>;
}

export function partIn(messages: ChatRequest['messages']): DebatePart {
  const { texts, request } = readFenced(messages);
  const stance = /Your initial stance: the passage (supports|does not support) /.exec(request)?.[1];
  if (stance !== undefined) return { side: stance === 'supports' ? 'yes' : 'no', isFirstRound: true, texts };
  const label = /your verdict was "(yes|no)"/.exec(request)?.[1];
  return { side: (label as DecidedVerdict | undefined) ?? 'adjudicator', isFirstRound: false, texts };
}

/** Agents that keep their side in the first round, and both say `agreed` in the second. */
export function agreeingInRound2(agreed: DecidedVerdict): (request: ChatRequest) => ChatReply {
  return ({ messages }) => {
    const { side, isFirstRound, texts } = partIn(messages);
    if (isFirstRound && side !== 'adjudicator')
      return argumentReply(side, `First round, ${side}: ${texts['passage']}`);
    return argumentReply(agreed, `Second round, ${side} before: ${texts['passage']}`);
  };
}

/** Agents that never change sides. The adjudicator, if there is one, says yes. */
export function stubborn({ messages }: ChatRequest): ChatReply {
  const { side, isFirstRound } = partIn(messages);
  if (side === 'adjudicator') return argumentReply('yes', 'The last word.', ['It supports']);
  return argumentReply(side, `${isFirstRound ? 'First' : 'Second'} argument for ${side}.`, ['It supports']);
}

/** `count` different pairs. */
export function pairsOf(count: number): JudgePair[] {
  return Array.from({ length: count }, (_, i) => ({
    passage: { text: `Passage ${i}. It supports number ${i}.` },
    perspective: { text: `Perspective ${i}.` },
  }));
}

export interface Delivered {
  readonly judgement: Judgement;
  readonly delivery: Delivery;
}

/** Collects deliveries, and fails on a second one for a pair. */
export function collector(): {
  readonly delivered: Map<number, Delivered>;
  readonly onJudgement: NonNullable<JudgeOptions['onJudgement']>;
} {
  const delivered = new Map<number, Delivered>();
  return {
    delivered,
    onJudgement: (index, judgement, delivery) => {
      if (delivered.has(index)) throw new Error(`Pair ${index} was delivered twice.`);
      delivered.set(index, { judgement, delivery });
    },
  };
}
