/** Sends identical concurrent requests once, and gives the result to every caller. */
import { cancelled, ParallaxError, throwIfCancelled } from '../../core/errors.ts';

interface Request<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
  /** Whether a caller has taken the result already, and with it the cost. */
  claimed: boolean;
}

export interface Sharing<T, R> {
  /**
   * Sends the request. The signal fires when all callers have cancelled; a result that arrives in spite of it still
   * counts, since it was paid for.
   */
  readonly begin: (signal: AbortSignal) => Promise<T>;
  /**
   * Takes the result. `first` is true for exactly one of the callers that share a request, and the cost counts for
   * that caller. The request counts as in flight until this has returned, so a caller that stores the result here
   * leaves no moment in which another finds neither the request nor the stored result.
   */
  readonly use: (result: T, first: boolean) => R;
  readonly signal?: AbortSignal | undefined;
}

export class SharedRequests<T> {
  readonly #inFlight = new Map<string, Request<T>>();

  /**
   * Waits for the request under `key` that is in flight, or sends it. After a cancellation, the others still get the
   * result, and without others the caller itself gets what still arrives.
   *
   * @throws ParallaxError `cancelled` when `signal` has fired; what the request or `use` threw
   */
  async share<R>(key: string, sharing: Sharing<T, R>): Promise<R> {
    for (;;) {
      throwIfCancelled(sharing.signal);
      const request = this.#inFlight.get(key) ?? this.#begin(key, sharing.begin);
      try {
        return await this.#join(request, sharing);
      } catch (error) {
        // Others began this request and cancelled it.
        const isOthers = request.controller.signal.aborted && !sharing.signal?.aborted;
        if (!isOthers || !ParallaxError.is(error, 'cancelled')) throw error;
      } finally {
        if (request.waiting === 0 && this.#inFlight.get(key) === request) this.#inFlight.delete(key);
      }
    }
  }

  async #join<R>(request: Request<T>, { use, signal }: Sharing<T, R>): Promise<R> {
    request.waiting++;
    try {
      const result = await untilCancelled(request.result, signal).catch((error: unknown) => {
        if (!signal?.aborted || request.waiting > 1) throw error;
        request.controller.abort();
        return request.result.catch(() => {
          throw error;
        });
      });
      const first = !request.claimed;
      request.claimed = true;
      return use(result, first);
    } finally {
      request.waiting--;
    }
  }

  #begin(key: string, begin: (signal: AbortSignal) => Promise<T>): Request<T> {
    const controller = new AbortController();
    const request = { result: begin(controller.signal), controller, waiting: 0, claimed: false };
    this.#inFlight.set(key, request);
    return request;
  }
}

/** The promise's outcome, or `cancelled` as soon as the signal fires. Drops late outcomes. */
export function untilCancelled<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(cancelled());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
