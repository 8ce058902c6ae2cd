/** Tells features what others changed, so that none has to know another. */

import type { Evaluation } from '../../evaluation/evaluation.ts';

/** Who shows figures, or has them made. */
export type Part = 'side panel' | 'compare' | 'inline' | 'review' | 'capture' | 'testing' | 'agents';

export interface Listener {
  /** A corpus or judgements changed, and with them what figures rest on. */
  figuresChanged?(): void;
  /** The side panel learned that a corpus is indexed, or is not. */
  indexedChanged?(): void;
  /** A comparison in view was run again, because more of it is judged now. */
  comparedAgain?(before: Evaluation, after: Evaluation): void;
  /** Retrievals of running programs arrived, or were forgotten. */
  capturedChanged?(): void;
  /** Programs are observed, or no longer are, or other calls can be asked again. */
  observedChanged?(): void;
}

export class Changes {
  readonly #listeners = new Map<Part, Listener>();

  subscribe(part: Part, listener: Listener): void {
    this.#listeners.set(part, listener);
  }

  /** @param knowing who needs not be told: the cause, and whom it tells itself */
  figuresChanged(...knowing: readonly Part[]): void {
    for (const [part, listener] of this.#listeners) if (!knowing.includes(part)) listener.figuresChanged?.();
  }

  indexedChanged(): void {
    for (const listener of this.#listeners.values()) listener.indexedChanged?.();
  }

  comparedAgain(before: Evaluation, after: Evaluation): void {
    for (const listener of this.#listeners.values()) listener.comparedAgain?.(before, after);
  }

  observedChanged(): void {
    for (const listener of this.#listeners.values()) listener.observedChanged?.();
  }

  capturedChanged(): void {
    for (const listener of this.#listeners.values()) listener.capturedChanged?.();
  }
}
