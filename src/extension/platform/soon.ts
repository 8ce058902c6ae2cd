/** A panel redraws at most this often while news stream in. */
const QUIET_MS = 50;

/** Has something done soon and once, however many ask for it meanwhile. */
export class Soon {
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  ask(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#work();
    }, QUIET_MS);
  }

  /** It is done, or no longer wanted. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
