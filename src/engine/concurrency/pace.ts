import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfCancelled } from '../../core/errors.ts';
import type { WorkOptions } from '../types.ts';

const SLICE_MS = 8;

/** Lets long synchronous work share its thread. Check {@link due} often, and call {@link rest} if it is true. */
export class Pace {
  readonly #work: WorkOptions;
  #sliceEnd = performance.now() + SLICE_MS;

  /** @throws ParallaxError `cancelled` */
  constructor(work: WorkOptions) {
    throwIfCancelled(work.signal);
    this.#work = work;
  }

  get due(): boolean {
    return performance.now() >= this.#sliceEnd;
  }

  /** @throws ParallaxError `cancelled` */
  async rest(): Promise<void> {
    await nextTurn();
    throwIfCancelled(this.#work.signal);
    this.#sliceEnd = performance.now() + SLICE_MS;
  }

  report(done: number, total: number): void {
    this.#work.onProgress?.({ done, total });
  }
}
