/** Keeps questions back from a server that said that it has too much to do. */
import { setTimeout as delay } from 'node:timers/promises';

/** So long after the last time that it said so. */
const SPARED_MS = 10_000;

export class Restraint {
  #quietUntil = 0;
  #sparedUntil = 0;
  /** Ends with the last of those that wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  /** The server has too much to do. @param afterMs how long it wants to be left alone */
  spare(afterMs = 0): void {
    this.#quietUntil = Math.max(this.#quietUntil, performance.now() + afterMs);
    this.#sparedUntil = this.#quietUntil + SPARED_MS;
  }

  /**
   * Asks at once, or, as long as the server is spared, when it wants to be asked again and nobody else is asking.
   *
   * @param end whoever waits goes away with it
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
