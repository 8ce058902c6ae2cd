/**
 * The failure that a panel shows, until its cause is gone: the same work succeeds, the user dismisses it, takes a way out
 * of it, or does something else.
 */
import { asParallaxError } from '../../core/errors.ts';
import { failureOf, type Failure } from '../../shared/panels/failure.ts';

/** What a failure is about. */
interface Cause {
  /** The kind of work that failed: it is over once such work succeeds. */
  readonly of?: string | undefined;
  /** Whether what it says is still true. */
  readonly holds?: (() => boolean) | undefined;
}

export class FailureInView {
  readonly #log: (message: string) => void;
  readonly #changed: () => void;
  #shown: (Failure & Cause) | undefined;

  /** @param changed called when there is another one to show */
  constructor(log: (message: string) => void, changed: () => void) {
    this.#log = log;
    this.#changed = changed;
  }

  /** Shows anything that was thrown; cancelling is no failure. */
  show(error: unknown, of?: string): void {
    const failure = asParallaxError(error);
    if (failure.id === 'cancelled') return;
    this.#log(`${failure.id}: ${failure.message}`);
    this.#shown = { ...failureOf(failure), of };
    this.#changed();
  }

  /** Shows what was not thrown, such as pairs that a judge failed on while others got their verdict. */
  tell(problem: Failure, cause: Cause = {}): void {
    this.#shown = { ...problem, ...cause };
  }

  /** Such work has succeeded: a failure of it is over. */
  succeeded(kind: string): void {
    if (this.#shown?.of === kind) this.#shown = undefined;
  }

  /** @returns the corpus that it was about, which a remedy may have to know */
  forget(): string | undefined {
    const corpus = this.#shown?.corpus;
    this.#shown = undefined;
    return corpus;
  }

  /** Runs work whose failure is shown instead of thrown. */
  async guard(work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.show(error);
    }
  }

  get view(): { error?: Failure } {
    const { holds, of: _, ...failure } = this.#shown ?? {};
    return this.#shown && holds?.() !== false ? { error: failure as Failure } : {};
  }
}
