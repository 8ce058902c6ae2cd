/**
 * Threads that derive parts of indexes from the texts of a store. They read the texts themselves, so that only
 * numbers are exchanged with the engine. They run no native code, so that they can be ended at any moment.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import { entryFile } from '../concurrency/entry-file.ts';
import type { Answer, Derived, Job } from './jobs.ts';

/** More would fill memory, and leave nothing of the machine to others. */
const MAX_THREADS = 4;

export const THREADS = Math.min(MAX_THREADS, availableParallelism());

/** Jobs, or series of them, in the queue of each thread, so that it need not wait until the last result is taken. */
const JOBS_AHEAD = 2;

/**
 * Runs jobs in several threads, and yields the results in the order of the jobs. The threads end with the last job,
 * with an error, and if the caller stops iterating.
 *
 * @throws ParallaxError `cancelled`, `store-unusable`, and what a job throws; later jobs are then dropped
 */
export async function* deriveInThreads(
  jobs: readonly Job[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Derived> {
  throwIfCancelled(signal);
  const threads = new DerivationThreads(Math.min(THREADS, jobs.length));
  const onAbort = (): void => void threads.end();
  signal?.addEventListener('abort', onAbort, { once: true });
  const ahead: Promise<Derived>[] = [];
  try {
    let nextJob = 0;
    for (let done = 0; done < jobs.length; done++) {
      for (; nextJob < Math.min(jobs.length, done + JOBS_AHEAD * threads.count); nextJob++)
        ahead.push(threads.derive(jobs[nextJob]!));
      yield await ahead.shift()!;
      throwIfCancelled(signal);
    }
  } catch (error) {
    throwIfCancelled(signal);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await threads.end();
  }
}

/** Threads that take jobs from one queue. */
export class DerivationThreads {
  readonly #threads: Thread[] = [];
  readonly #queue: JobSeries[] = [];
  #ended = false;

  constructor(count: number) {
    this.growTo(count);
  }

  get count(): number {
    return this.#threads.length;
  }

  growTo(count: number): void {
    while (this.#threads.length < count) this.#threads.push(new Thread());
    this.#handOut();
  }

  /** @throws ParallaxError what the job throws; `internal` if the threads have ended */
  derive(job: Job): Promise<Derived> {
    const series = this.begin();
    const derived = series.derive(job);
    series.end();
    return derived;
  }

  /** Starts a series of jobs that one thread does in their order. Others may run before it has ended. */
  begin(): JobSeries {
    const series = new JobSeries();
    if (this.#ended) series.giveUp();
    else this.#queue.push(series);
    this.#handOut();
    return series;
  }

  /** Ends them in the middle of their work. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const series of this.#queue.splice(0)) series.giveUp();
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #handOut(): void {
    while (this.#queue.length > 0) {
      const freest = this.#threads.reduce((a, b) => (b.load < a.load ? b : a));
      if (freest.load >= JOBS_AHEAD) return;
      const series = this.#queue.shift()!;
      freest.load++;
      series.start(freest);
      void series.done.then(() => {
        freest.load--;
        this.#handOut();
      });
    }
  }
}

/**
 * Jobs for one thread, which does them in their order. They wait until a thread is free, and more may follow after
 * that.
 */
export class JobSeries {
  /** Resolves when the series has ended and all its jobs have succeeded or failed. */
  readonly done: Promise<unknown>;
  hasEnded = false;
  readonly #end = Promise.withResolvers<undefined>();
  readonly #answers: Promise<Derived>[] = [];
  readonly #thread = Promise.withResolvers<Thread>();

  constructor() {
    // The caller sees the error of an earlier job first, so this one may not be awaited yet.
    this.#thread.promise.catch(() => undefined);
    this.done = this.#end.promise.then(() => Promise.allSettled(this.#answers));
  }

  /** @throws ParallaxError what the job throws; `internal` if the threads have ended */
  derive(job: Job): Promise<Derived> {
    const answer = this.#thread.promise.then((thread) => thread.derive(job));
    answer.catch(() => undefined);
    this.#answers.push(answer);
    return answer;
  }

  /** No more jobs will follow. */
  end(): void {
    this.hasEnded = true;
    this.#end.resolve(undefined);
  }

  start(thread: Thread): void {
    this.#thread.resolve(thread);
  }

  giveUp(): void {
    this.#thread.reject(failed('it has ended'));
  }
}

class Thread {
  /** Assigned series of jobs that are not done. */
  load = 0;
  readonly #worker = new Worker(entryFile(import.meta.url, 'thread.ts', 'derivation.mjs'));
  /** Jobs are answered in the order of the requests. */
  readonly #waiting: PromiseWithResolvers<Derived>[] = [];
  #ended = false;

  constructor() {
    this.#worker.on('message', (answer: Answer) => {
      const first = this.#waiting.shift();
      if ('derived' in answer) first?.resolve(answer.derived);
      else first?.reject(new ParallaxError(answer.id, answer.message));
    });
    this.#worker.on('error', (error) => this.#giveUp(messageOf(error)));
    this.#worker.on('exit', () => this.#giveUp('it ended'));
  }

  derive(job: Job): Promise<Derived> {
    const waiting = Promise.withResolvers<Derived>();
    this.#waiting.push(waiting);
    if (this.#ended) this.#giveUp('it has ended');
    else this.#worker.postMessage(job);
    return waiting.promise;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }

  #giveUp(reason: string): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.splice(0)) reject(failed(reason));
  }
}

function failed(reason: string): ParallaxError {
  return new ParallaxError('internal', l10n.t`A thread that builds the index failed: ${reason}. Try again.`);
}
