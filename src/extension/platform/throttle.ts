/** Minimum time between redraws of a panel while updates arrive. */
const INTERVAL_MS = 50;

/** Runs work at most once per interval, however often it is requested. */
export class Throttle {
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  request(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#work();
    }, INTERVAL_MS);
  }

  /** Cancels the pending run, because the work is done or no longer wanted. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
