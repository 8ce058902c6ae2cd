import type { Timing } from '../../../engine/models/retry.ts';

/** Allows one request at a time to each host, with a pause between two. */
export class HostGate {
  readonly #timing: Timing;
  /** Resolves when the last request in the queue of a host has had its turn. */
  readonly #queues = new Map<string, Promise<undefined>>();
  /** No request is sent to a host before this moment. Milliseconds since 1970. */
  readonly #notBefore = new Map<string, number>();

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /**
   * Does some work when it is its turn.
   *
   * @param pauseMs the pause after it
   * @throws what `work` throws, ParallaxError `cancelled`
   */
  async turn<T>(
    host: string,
    pauseMs: number,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const before = this.#queues.get(host);
    const { promise: done, resolve: finish } = Promise.withResolvers<undefined>();
    this.#queues.set(host, done);
    await before;
    try {
      const wait = (this.#notBefore.get(host) ?? 0) - this.#timing.now();
      if (wait > 0) await this.#timing.sleep(wait, signal);
      return await work();
    } finally {
      this.holdBack(host, pauseMs);
      finish(undefined);
    }
  }

  /** Sends nothing to a host for this long. */
  holdBack(host: string, ms: number): void {
    const until = this.#timing.now() + ms;
    this.#notBefore.set(host, Math.max(until, this.#notBefore.get(host) ?? 0));
  }
}
