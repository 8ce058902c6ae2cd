/**
 * Threads that derive parts of indexes from the texts of a store: they read these themselves, so that nothing but
 * numbers goes between them and the engine. Nothing native runs in them that must not be ended at any moment.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { Answer, Derived, Job } from './jobs.ts';

/** More would fill memory, and leave nothing of the machine to others. */
const MOST_THREADS = 4;

export const THREADS = Math.min(MOST_THREADS, availableParallelism());

/** Jobs that each thread has before it, so that it need not wait for whoever takes what came of the last one. */
const JOBS_AHEAD = 2;

/**
 * Has jobs done by several threads at a time, and hands over what comes of them in the order of the jobs. The
 * threads end with the last job, with an error, and when whoever asks has heard enough.
 *
 * @throws ParallaxError `cancelled`, `store-unusable`, and what a job throws; later jobs are then given up
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
    let asked = 0;
    for (let done = 0; done < jobs.length; done++) {
      for (; asked < Math.min(jobs.length, done + JOBS_AHEAD * threads.count); asked++)
        ahead.push(threads.derive(jobs[asked]!));
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
  readonly #queue: Waiting[] = [];
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

  /** @throws ParallaxError what the job throws; `internal` when the threads have ended */
  derive(job: Job): Promise<Derived> {
    const answer = Promise.withResolvers<Derived>();
    // Whoever waits for an earlier job is told first; nobody may be listening to this one yet.
    answer.promise.catch(() => undefined);
    if (this.#ended) answer.reject(failed('it has ended'));
    else this.#queue.push({ job, ...answer });
    this.#handOut();
    return answer.promise;
  }

  /** Ends them in the midst of whatever they do. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const { reject } of this.#queue.splice(0)) reject(failed('it has ended'));
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #handOut(): void {
    while (this.#queue.length > 0) {
      const freest = this.#threads.reduce((a, b) => (b.jobs < a.jobs ? b : a));
      if (freest.jobs >= JOBS_AHEAD) return;
      const { job, resolve, reject } = this.#queue.shift()!;
      freest.derive(job).then(
        (derived) => {
          resolve(derived);
          this.#handOut();
        },
        (error: unknown) => {
          reject(error);
          this.#handOut();
        },
      );
    }
  }
}

interface Waiting extends PromiseWithResolvers<Derived> {
  readonly job: Job;
}

class Thread {
  readonly #worker = new Worker(threadFile());
  /** Jobs are answered in the order in which they were asked for. */
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

  /** Those that it has not answered. */
  get jobs(): number {
    return this.#waiting.length;
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

/** Bundled code stands in `dist/` or `dist/chunks/`. */
function threadFile(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const bundled = [here, path.dirname(here)].map((folder) => path.join(folder, 'derivation.mjs'));
  const file = [path.join(here, 'thread.ts'), ...bundled].find((place) => existsSync(place));
  if (file !== undefined) return file;
  throw new ParallaxError(
    'internal',
    l10n.t('dist/derivation.mjs is missing. Build Parallax again: npm run build.'),
  );
}
