/** Embeds the passages of a corpus while its user works: what was asked for first, then all others. */
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { MeaningSoFar } from '../../shared/requests/corpora.ts';
import type { DenseIndex } from '../dense/dense-index.ts';
import type { Embedder } from '../embedders/embedder.ts';
import type { Slot, WorkOptions } from '../types.ts';

/** Passages at a time: a question waits for no more than these. */
const PORTION = 16;

export interface BackgroundEmbeddingOptions {
  /** Runs work that must have ended before the files are closed. */
  readonly inBackground: (work: (options: WorkOptions) => Promise<void>) => Promise<void>;
  readonly log: (message: string) => void;
  /** Tells the user why meaning stays incomplete, such as a disk that is full. */
  readonly notice: (text: string) => void;
  /** The passages that there are. */
  readonly live: () => { readonly count: number; without(held: DenseIndex['held']): Uint32Array };
  /** Embeds passages that have no vector. */
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

  /** Undefined where nothing is left to do, nothing was begun, or it was stopped. */
  get soFar(): MeaningSoFar | undefined {
    return this.#soFar;
  }

  /**
   * Begins; where it has begun, other passages come first from now on.
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
   * Waits until all have a vector, or it was stopped.
   *
   * @param signal stops it; what has a vector keeps it
   * @param listen is told how far it is
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
      const portion = [...taken(this.#urgent, index), ...taken(rest, index)].slice(0, PORTION);
      if (portion.length > 0) await this.#options.embed(embedder, portion, work);
      done += portion.length;
      const left = this.#options.live().without(index.held).length;
      const soFar = this.#progress(left, done / (performance.now() - begun));
      this.#soFar = soFar;
      for (const listen of this.#listeners) listen(soFar);
      if (left === 0) return;
      // Passages that came meanwhile.
      if (portion.length === 0) rest = this.#rest(index);
    }
  }

  /** Without a vector, in the order of the corpus. */
  #rest(index: DenseIndex): Slot[] {
    return [...this.#options.live().without(index.held)];
  }

  /** @param rate passages a millisecond, once it is known */
  #progress(left: number, rate = 0): MeaningSoFar {
    const of = this.#options.live().count;
    const secondsLeft = rate > 0 ? Math.ceil(left / rate / 1_000) : undefined;
    return { embedded: of - left, of, ...(secondsLeft === undefined ? {} : { secondsLeft }) };
  }
}

/** Removes what has a vector from the beginning of a list. @returns the first of what has none */
function taken(slots: Slot[], index: DenseIndex): Slot[] {
  const end = slots.findIndex((slot) => !index.has(slot));
  slots.splice(0, end < 0 ? slots.length : end);
  return slots.slice(0, PORTION).filter((slot) => !index.has(slot));
}

function eitherOf(a: AbortSignal, b: AbortSignal | undefined): AbortSignal {
  return b ? AbortSignal.any([a, b]) : a;
}
