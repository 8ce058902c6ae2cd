/** Embeds the passages of a corpus in the background: first what was asked for, then all others. */
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { MeaningSoFar } from '../../shared/requests/corpora.ts';
import type { DenseIndex } from '../dense/dense-index.ts';
import type { Embedder } from '../embedders/embedder.ts';
import type { Slot, WorkOptions } from '../types.ts';

/** Passages embedded at once. A question waits for no more than these. */
const PORTION = 16;

export interface BackgroundEmbeddingOptions {
  /** Runs work that has to end before the files are closed. */
  readonly inBackground: (work: (options: WorkOptions) => Promise<void>) => Promise<void>;
  readonly log: (message: string) => void;
  /** Tells the user why meaning stays incomplete, such as a full disk. */
  readonly notice: (text: string) => void;
  readonly live: () => { readonly count: number; without(held: DenseIndex['held']): Uint32Array };
  /** Embeds passages without a vector. */
  readonly embed: (embedder: Embedder, slots: readonly Slot[], work: WorkOptions) => Promise<unknown>;
}

export class BackgroundEmbedding {
  readonly #options: BackgroundEmbeddingOptions;
  /** Passages to embed before others, the most urgent first. */
  #urgent: Slot[] = [];
  #stop: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<(soFar: MeaningSoFar) => void>();
  #soFar: MeaningSoFar | undefined;

  constructor(options: BackgroundEmbeddingOptions) {
    this.#options = options;
  }

  /** `undefined` if nothing is left to do, nothing was started, or it was stopped. */
  get soFar(): MeaningSoFar | undefined {
    return this.#soFar;
  }

  /**
   * Starts. If it is running, changes which passages come first.
   *
   * @param index that lacks vectors
   * @param first by priority
   */
  begin(embedder: Embedder, index: DenseIndex, first: readonly Slot[]): void {
    this.#urgent = [...first];
    const left = this.#options.live().without(index.held).length;
    if (this.#stop || left === 0) return;
    this.#soFar = this.#progress(left);
    const { signal } = (this.#stop = new AbortController());
    this.#running = this.#options
      .inBackground((work) => this.#embed(embedder, index, { signal: eitherOf(signal, work.signal) }))
      .catch((error: unknown) => {
        if (ParallaxError.is(error, 'cancelled')) return;
        this.#options.log(`Embedding in the background failed: ${messageOf(error)}`);
        if (ParallaxError.is(error)) this.#options.notice(error.message);
      })
      .finally(() => {
        this.#stop = undefined;
        this.#soFar = undefined;
      });
  }

  /**
   * Waits until all passages have a vector, or it was stopped.
   *
   * @param signal stops it; finished vectors stay
   * @param listen receives the progress
   */
  async end(signal: AbortSignal | undefined, listen: (soFar: MeaningSoFar) => void): Promise<void> {
    const stop = (): void => this.#stop?.abort();
    signal?.addEventListener('abort', stop, { once: true });
    this.#listeners.add(listen);
    try {
      if (this.#soFar) listen(this.#soFar);
      await this.#running;
    } finally {
      this.#listeners.delete(listen);
      signal?.removeEventListener('abort', stop);
    }
  }

  async #embed(embedder: Embedder, index: DenseIndex, work: WorkOptions): Promise<void> {
    const begun = performance.now();
    let done = 0;
    let rest = this.#rest(index);
    for (;;) {
      throwIfCancelled(work.signal);
      const next = new Set([...nextWithoutVector(this.#urgent, index), ...nextWithoutVector(rest, index)]);
      const portion = [...next].slice(0, PORTION);
      if (portion.length > 0) await this.#options.embed(embedder, portion, work);
      done += portion.length;
      const left = this.#options.live().without(index.held).length;
      const soFar = this.#progress(left, done / (performance.now() - begun));
      this.#soFar = soFar;
      for (const listen of this.#listeners) listen(soFar);
      if (left === 0) return;
      // Passages that were added in the meantime.
      if (portion.length === 0) rest = this.#rest(index);
    }
  }

  /** Those without a vector, in the order of the corpus. */
  #rest(index: DenseIndex): Slot[] {
    return [...this.#options.live().without(index.held)];
  }

  /** @param rate passages per millisecond, once it is known */
  #progress(left: number, rate = 0): MeaningSoFar {
    const of = this.#options.live().count;
    const secondsLeft = rate > 0 ? Math.ceil(left / rate / 1_000) : undefined;
    return { embedded: of - left, of, ...(secondsLeft === undefined ? {} : { secondsLeft }) };
  }
}

/** Removes passages with a vector from the beginning of a list. @returns the first of the others */
function nextWithoutVector(slots: Slot[], index: DenseIndex): Slot[] {
  const end = slots.findIndex((slot) => !index.has(slot));
  slots.splice(0, end < 0 ? slots.length : end);
  return slots.slice(0, PORTION).filter((slot) => !index.has(slot));
}

function eitherOf(a: AbortSignal, b: AbortSignal | undefined): AbortSignal {
  return b ? AbortSignal.any([a, b]) : a;
}
