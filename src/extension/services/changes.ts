/** Notifies features of changes by other features, so that features do not depend on each other. */

import type { Evaluation } from '../../evaluation/evaluation.ts';

/** A part that shows or computes figures. */
export type Part = 'side panel' | 'compare' | 'inline' | 'review' | 'capture' | 'testing' | 'agents';

export interface Listener {
  /** A corpus or judgements changed, so figures that depend on them are out of date. */
  figuresChanged?(): void;
  /** The side panel learned whether a corpus is indexed. */
  indexedChanged?(): void;
  /** A comparison in view was run again because more of it is judged now. */
  comparedAgain?(before: Evaluation, after: Evaluation): void;
  /** Retrievals of running programs arrived or were removed. */
  capturedChanged?(): void;
  /** Observing programs started or stopped, or other calls can be asked again. */
  observedChanged?(): void;
}

export class Changes {
  readonly #listeners = new Map<Part, Listener>();

  subscribe(part: Part, listener: Listener): void {
    this.#listeners.set(part, listener);
  }

  /** @param knowing parts that need no notification: the cause, and those it notifies itself */
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
