/** Asks a judge about pairs that no other window is asking about, and then about those that others have given up. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Claims } from './claims.ts';
import type { Judge, JudgeReport } from '../judges/judge.ts';
import type { AnswerKey } from './answer-rows.ts';

/** Between two checks for answers of other windows. */
const LOOK_EVERY_MS = 200;
/** Another process that runs but gives no answer for this long is not waited for, at the price of a second request. */
const LONGEST_WAIT_MS = 10 * 60_000;

export interface Claimable {
  readonly key: AnswerKey;
}

interface Turns<P extends Claimable> {
  /** Asks about pairs as their turn comes. Each must be taken first, and released once its answer is stored. */
  readonly ask: (pairs: readonly P[], taking: Taking<P>) => Promise<JudgeReport>;
  /** Whether any window has stored an answer. */
  readonly isAnswered: (pair: P) => boolean;
  /** Called repeatedly while waiting for others. */
  readonly onWait: () => void;
  readonly signal: AbortSignal;
}

/** The pairs that one round of asking has claimed. */
export class Taking<P extends Claimable = Claimable> {
  readonly #claims: Claims | undefined;
  readonly #judge: string;
  readonly #held = new Set<string>();
  /** Pairs that others are asking about. */
  readonly elsewhere = new Set<P>();

  /** @param claims undefined if pairs need no claim */
  constructor(claims: Claims | undefined, judge: string) {
    this.#claims = claims;
    this.#judge = judge;
  }

  /** @returns whether this window may ask about it */
  take(pair: P): boolean {
    if (!this.#claims) return true;
    const key = this.#keyOf(pair.key);
    const isOurs = this.#claims.take(key);
    if (isOurs) this.#held.add(key);
    else this.elsewhere.add(pair);
    return isOurs;
  }

  release(key: AnswerKey): void {
    this.#giveBack(this.#keyOf(key));
  }

  releaseAll(): void {
    for (const key of [...this.#held]) this.#giveBack(key);
  }

  #giveBack(key: string): void {
    if (this.#held.delete(key)) this.#claims?.release(key);
  }

  #keyOf({ perspectiveHash, passageHash }: AnswerKey): string {
    return JSON.stringify([this.#judge, perspectiveHash, passageHash]);
  }
}

/**
 * Asks about all free pairs. Waits for those that others are asking about, and asks about the ones they leave without
 * an answer. Free judges ask at once.
 */
export async function askInTurns<P extends Claimable>(
  { key, expense }: Pick<Judge, 'key' | 'expense'>,
  claims: Claims | undefined,
  pairs: readonly P[],
  turns: Turns<P>,
): Promise<JudgeReport> {
  const { ask, signal } = turns;
  let current = expense === 'paid' ? claims : undefined;
  let report: JudgeReport | undefined;
  for (let open = pairs; ;) {
    const taking = new Taking<P>(current, key);
    const turn = await ask(open, taking).finally(() => taking.releaseAll());
    report = report ? together(report, turn) : turn;
    open = [...taking.elsewhere];
    // The same cause would stop the rest, too.
    if (open.length === 0 || signal.aborted || turn.error) return report;
    if (!(await someFree(open, current!, key, turns))) current = undefined;
    if (signal.aborted) return report;
  }
}

/** Waits until one of the pairs is answered or free. @returns false if that takes too long */
async function someFree<P extends Claimable>(
  pairs: readonly P[],
  claims: Claims,
  judge: string,
  { isAnswered, onWait, signal }: Turns<P>,
): Promise<boolean> {
  const end = performance.now() + LONGEST_WAIT_MS;
  while (performance.now() < end && !signal.aborted) {
    const probe = new Taking<P>(claims, judge);
    const isFree = pairs.some((pair) => isAnswered(pair) || probe.take(pair));
    probe.releaseAll();
    if (isFree) return true;
    onWait();
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** The combined report of two rounds. Leaves out what the caller counts. */
function together(first: JudgeReport, second: JudgeReport): JudgeReport {
  return {
    ...second,
    asked: first.asked + second.asked,
    failed: first.failed + second.failed,
    requests: first.requests + second.requests,
    tokens: {
      prompt: first.tokens.prompt + second.tokens.prompt,
      completion: first.tokens.completion + second.tokens.completion,
    },
  };
}
