/** Delays questions to an overloaded server. */
import { setTimeout as delay } from 'node:timers/promises';

/** How long questions are delayed after the last such answer. */
const SPARED_MS = 10_000;

export class Restraint {
  #quietUntil = 0;
  #sparedUntil = 0;
  /** Resolves with the last of the waiting questions. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Called if the server is overloaded. @param afterMs how long it asks to wait */
  spare(afterMs = 0): void {
    this.#quietUntil = Math.max(this.#quietUntil, performance.now() + afterMs);
    this.#sparedUntil = this.#quietUntil + SPARED_MS;
  }

  /**
   * Asks at once. While the server is spared, waits until it accepts questions and no other question is running.
   *
   * @param end ends the wait
   * @throws what asking throws, and an `AbortError`
   */
  async run<T>(ask: () => Promise<T>, end: AbortSignal): Promise<T> {
    if (performance.now() >= this.#sparedUntil) return ask();
    const before = this.#turn;
    const { promise: over, resolve: leave } = Promise.withResolvers<unknown>();
    this.#turn = before.then(() => over);
    try {
      await before;
      await delay(Math.max(0, this.#quietUntil - performance.now()), undefined, { signal: end });
      return await ask();
    } finally {
      leave(undefined);
    }
  }
}
