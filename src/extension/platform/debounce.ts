/** Minimum time between redraws of a panel while news arrive. */
const QUIET_MS = 50;

/** Debounces work: however often it is requested, it runs once. */
export class Debounce {
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  request(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#work();
    }, QUIET_MS);
  }

  /** Cancels the pending run, because the work is done or no longer wanted. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
