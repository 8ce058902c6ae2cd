/**
 * The failure that a panel shows. It disappears when the same work succeeds, or when the user dismisses it, applies a
 * remedy, or does something else.
 */
import { asParallaxError } from '../../core/errors.ts';
import { failureOf, type Failure } from '../../shared/panels/failure.ts';

interface Cause {
  /** The kind of work that failed. The failure disappears once such work succeeds. */
  readonly of?: string | undefined;
  /** Whether the failure still applies. */
  readonly holds?: (() => boolean) | undefined;
}

export class FailureInView {
  readonly #log: (message: string) => void;
  readonly #changed: () => void;
  #shown: (Failure & Cause) | undefined;

  /** @param changed called when the failure to show has changed */
  constructor(log: (message: string) => void, changed: () => void) {
    this.#log = log;
    this.#changed = changed;
  }

  /** Shows a thrown value. Ignores cancellation. */
  show(error: unknown, of?: string): void {
    const failure = asParallaxError(error);
    if (failure.id === 'cancelled') return;
    this.#log(`${failure.id}: ${failure.message}`);
    this.#shown = { ...failureOf(failure), of };
    this.#changed();
  }

  /** Shows a problem that was not thrown, such as pairs that a judge failed on while others got their verdict. */
  tell(problem: Failure, cause: Cause = {}): void {
    this.#shown = { ...problem, ...cause };
  }

  /** Removes a failure of this kind of work, which has now succeeded. */
  succeeded(kind: string): void {
    if (this.#shown?.of === kind) this.#shown = undefined;
  }

  /** @returns the corpus of the removed failure, which a remedy may need */
  forget(): string | undefined {
    const corpus = this.#shown?.corpus;
    this.#shown = undefined;
    return corpus;
  }

  /** Runs work, and shows its failure instead of throwing. */
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
