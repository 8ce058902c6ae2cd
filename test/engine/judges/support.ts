/** What the judge tests share: pairs, a clock that does not wait, and a chat judge on a scripted server. */
import type { TestContext } from 'node:test';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import type { Judgement } from '../../../src/core/model.ts';
import { createChatJudge } from '../../../src/engine/judges/chat-judge.ts';
import type { Delivery, Judge, JudgeOptions, JudgePair } from '../../../src/engine/judges/judge.ts';
import { createOpenAiModel, type OpenAiSettings } from '../../../src/engine/judges/openai-model.ts';
import type { Timing } from '../../../src/engine/judges/retry.ts';
import { startModelServer, type ModelServer, type ModelServerScript } from '../../fixtures/model-server.ts';

/** Time passes only while somebody sleeps, and sleeping takes no time. */
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
}

export function judgeOn(baseUrl: string, setup: JudgeSetup = {}): Judge {
  const { concurrency = 4, timeoutMs = 5_000, timing = new QuickTiming(), ...settings } = setup;
  const model = createOpenAiModel(
    { baseUrl, model: 'scripted', keyName: 'openai', maxRetries: 4, ...settings },
    timing,
  );
  return createChatJudge({
    name: 'main',
    model,
    standard: STANDARDS.berds,
    concurrency,
    timeoutMs,
    now: () => Date.UTC(2026, 0, 1),
  });
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

/** Collects what is delivered, and fails on a second delivery for one pair. */
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
