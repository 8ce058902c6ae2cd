/**
 * Threads that derive parts of indexes from the texts of a store: they read these themselves, so that nothing but
 * numbers goes between them and the engine. Nothing native runs in them that must not be ended at any moment.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
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
  const threads = Array.from({ length: Math.min(THREADS, jobs.length) }, () => new Thread());
  const stop = (): Promise<unknown> => Promise.all(threads.map((thread) => thread.end()));
  const onAbort = (): void => void stop();
  signal?.addEventListener('abort', onAbort, { once: true });
  const ahead: Promise<Derived>[] = [];
  try {
    let asked = 0;
    for (let done = 0; done < jobs.length; done++) {
      for (; asked < Math.min(jobs.length, done + JOBS_AHEAD * threads.length); asked++)
        ahead.push(threads[asked % threads.length]!.ask(jobs[asked]!));
      yield await ahead.shift()!;
      throwIfCancelled(signal);
    }
  } catch (error) {
    throwIfCancelled(signal);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await stop();
  }
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

  ask(job: Job): Promise<Derived> {
    const waiting = Promise.withResolvers<Derived>();
    // Whoever waits for an earlier job is told first; nobody may be listening to this one yet.
    waiting.promise.catch(() => undefined);
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
    for (const { reject } of this.#waiting.splice(0))
      reject(new ParallaxError('internal', `A thread that builds the index failed: ${reason}. Try again.`));
  }
}

/** Bundled code stands in `dist/` or `dist/chunks/`. */
function threadFile(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const bundled = [here, path.dirname(here)].map((folder) => path.join(folder, 'derivation.mjs'));
  const file = [path.join(here, 'thread.ts'), ...bundled].find((place) => existsSync(place));
  if (file !== undefined) return file;
  throw new ParallaxError('internal', 'dist/derivation.mjs is missing. Build Parallax again: npm run build.');
}
