/**
 * Progress of a call for the Model Context Protocol, which requires it to increase. A call has an unknown number of
 * steps: each finished one counts 1, the running one its share, and no total is sent.
 */
import type { Progress } from '../../../shared/requests/progress.ts';

/** Smaller steps are not reported, unless the message changes. */
const SMALLEST = 0.05;

export class ProgressReporter {
  readonly #send: (progress: number, message: string | undefined) => void;
  /** The number of finished steps. */
  #steps = 0;
  #share = 0;
  #told = 0;
  #message: string | undefined;

  constructor(send: (progress: number, message: string | undefined) => void) {
    this.#send = send;
  }

  report({ done, total, detail }: Progress): void {
    const share = total === undefined || total <= 0 ? 0 : Math.min(1, done / total);
    // The next step has started.
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
