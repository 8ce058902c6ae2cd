import type { WorkOptions } from '../types.ts';

/**
 * How many searches of an experiment are done. The total grows if an approximate search needs an exact one
 * beside it.
 */
export class ExperimentProgress {
  readonly #onProgress: WorkOptions['onProgress'];
  #done = 0;
  #total = 0;

  constructor(onProgress: WorkOptions['onProgress']) {
    this.#onProgress = onProgress;
  }

  get done(): number {
    return this.#done;
  }

  expect(searches: number): void {
    this.#total += searches;
  }

  advance(detail: string): void {
    this.#done++;
    this.report(detail);
  }

  /** Everything up to here is done, or is skipped because a pipeline failed. */
  reach(done: number): void {
    this.#done = Math.max(this.#done, done);
  }

  report(detail: string): void {
    this.#onProgress?.({ done: this.#done, total: this.#total, detail });
  }
}
