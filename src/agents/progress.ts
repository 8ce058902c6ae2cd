/**
 * Progress of a call as the Model Context Protocol wants it: it only grows. A call has several steps, and how many is not
 * known: each finished one counts 1, the one under way its share, and no total is claimed.
 */
import type { Progress } from '../shared/requests/progress.ts';

/** Less than this of a step is not told, unless its message is another. */
const SMALLEST = 0.05;

export class ProgressReporter {
  readonly #send: (progress: number, message: string | undefined) => void;
  /** Finished steps. */
  #steps = 0;
  #share = 0;
  #told = 0;
  #message: string | undefined;

  constructor(send: (progress: number, message: string | undefined) => void) {
    this.#send = send;
  }

  report({ done, total, detail }: Progress): void {
    const share = total === undefined || total <= 0 ? 0 : Math.min(1, done / total);
    // Another step has begun.
    if (share < this.#share) this.#steps++;
    this.#share = share;
    const progress = this.#steps + share;
    const message = [detail, total === undefined ? undefined : `${done} of ${total}`]
      .filter((part) => part !== undefined)
      .join(': ');
    if (progress <= this.#told || (progress - this.#told < SMALLEST && detail === this.#message)) return;
    this.#told = progress;
    this.#message = detail;
    this.#send(progress, message === '' ? undefined : message);
  }
}
