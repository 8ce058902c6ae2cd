/** Bounded repetition of what may fail temporarily. Time and randomness are injected. */
import { setTimeout as delay } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { throwIfCancelled, type ParallaxError } from '../../core/errors.ts';

export interface Timing {
  /** Milliseconds since 1970. */
  now(): number;
  /** @throws ParallaxError `cancelled` as soon as the signal fires */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

export const systemTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      throwIfCancelled(signal);
      throw error;
    }
  },
};

/** Whether a failed attempt is worth repeating, and when. */
export interface Failure {
  readonly error: ParallaxError;
  readonly retry: boolean;
  /** How long the other side asked to wait. */
  readonly afterMs?: number | undefined;
  /** Whether the other side is overloaded. */
  readonly isBusy?: boolean | undefined;
}

export interface RetryOptions {
  readonly maxRetries: number;
  readonly timing: Timing;
  readonly signal: AbortSignal | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** A wait before an attempt. */
export interface Retry {
  readonly waitMs: number;
  /** The number of the next attempt, from 2, and the most attempts. */
  readonly attempt: number;
  readonly of: number;
  /** Whether the other side asked to wait, or is overloaded. */
  readonly isBusy: boolean;
}

/** Shorter waits are over before a message about them is read. */
const WORTH_SAYING_MS = 1_000;

/** @returns a sentence for people; undefined for a wait that is too short to mention */
export function retryText({ waitMs, attempt, of, isBusy }: Retry): string | undefined {
  if (waitMs < WORTH_SAYING_MS) return undefined;
  const seconds = Math.ceil(waitMs / 1000);
  return isBusy
    ? l10n.t`The model is busy; trying again in ${seconds} s (${attempt} of ${of}).`
    : l10n.t`The model did not answer; trying again in ${seconds} s (${attempt} of ${of}).`;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Runs `attempt` until it succeeds, at most `1 + maxRetries` times.
 *
 * @param explain converts what was thrown into what to do about it
 * @throws the last attempt's explained error, or ParallaxError `cancelled`
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  explain: (error: unknown) => Failure,
  { maxRetries, timing, signal, onRetry }: RetryOptions,
): Promise<T> {
  for (let retries = 0; ; retries++) {
    throwIfCancelled(signal);
    try {
      return await attempt();
    } catch (error) {
      throwIfCancelled(signal);
      const failure = explain(error);
      if (!failure.retry || retries >= maxRetries) throw failure.error;
      const wait = waitMs(retries, failure.afterMs, timing);
      const isBusy = failure.isBusy ?? failure.afterMs !== undefined;
      onRetry?.({ waitMs: wait, attempt: retries + 2, of: maxRetries + 1, isBusy });
      await timing.sleep(wait, signal);
    }
  }
}

/** How long answers that are on their way are waited for after a cancellation. */
const GRACE_MS = 10_000;

/**
 * Sends a request that goes on for a while after `signal` has fired, since it is paid for anyway.
 *
 * @param send receives the signal that ends it
 */
export async function untilAnswered<T>(
  signal: AbortSignal | undefined,
  timing: Timing,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const answered = new AbortController();
  const onAbort = (): void =>
    void timing.sleep(GRACE_MS, answered.signal).then(
      () => late.abort(),
      () => undefined,
    );
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await send(late.signal);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    answered.abort();
  }
}

/** Exponential, with the upper half random, so that many clients do not return all at once. */
function waitMs(retries: number, afterMs: number | undefined, timing: Timing): number {
  const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** retries);
  const backOff = ceiling / 2 + (ceiling / 2) * timing.random();
  return afterMs === undefined ? backOff : afterMs + backOff / 10;
}
