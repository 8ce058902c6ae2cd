/** Sends identical concurrent requests once, and gives the result to every caller. */
import { cancelled, throwIfCancelled } from '../../core/errors.ts';

interface Request<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
  /** Whether a caller has taken the result already, and with it the cost. */
  claimed: boolean;
}

export interface Sharing<T, R> {
  /** Sends the request. The signal fires when no caller waits for it any more. */
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
   * result.
   *
   * @throws ParallaxError `cancelled` as soon as `signal` fires; what the request or `use` threw
   */
  async share<R>(key: string, { begin, use, signal }: Sharing<T, R>): Promise<R> {
    throwIfCancelled(signal);
    const request = this.#inFlight.get(key) ?? this.#begin(key, begin);
    request.waiting++;
    try {
      const result = await untilCancelled(request.result, signal);
      throwIfCancelled(signal);
      const first = !request.claimed;
      request.claimed = true;
      return use(result, first);
    } finally {
      request.waiting--;
      if (request.waiting === 0) this.#end(key, request);
    }
  }

  #begin(key: string, begin: (signal: AbortSignal) => Promise<T>): Request<T> {
    const controller = new AbortController();
    const request = { result: begin(controller.signal), controller, waiting: 0, claimed: false };
    this.#inFlight.set(key, request);
    return request;
  }

  #end(key: string, request: Request<T>): void {
    request.controller.abort();
    if (this.#inFlight.get(key) === request) this.#inFlight.delete(key);
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
