/** The client of a store in a separate process, which starts with the first question. */
import { fork, type ChildProcess } from 'node:child_process';
import { entryFile } from '../../../concurrency/entry-file.ts';
import { Once } from '../../../concurrency/once.ts';
import { ClientError } from './fault.ts';
import type { ClientAnswer, ClientPlace, ClientQuestion } from './messages.ts';
import { childEnvironment } from '../../../../core/external/child-environment.ts';

interface Waiting {
  readonly answer: (answer: unknown) => void;
  readonly fail: (error: ClientError) => void;
}

/** @typeParam Questions what it can be asked, by name */
export class StoreClient<Questions> {
  readonly #place: Once<ClientPlace>;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #questions = 0;

  /** @param place called with the first question */
  constructor(place: () => Promise<ClientPlace>) {
    this.#place = new Once(place);
  }

  /**
   * @param end gives the question up; after a timeout, the process is ended, too
   * @throws ClientError, and what `place` throws
   */
  async ask(question: ClientQuestion<Questions>, end: AbortSignal): Promise<unknown> {
    const place = await this.#place.get();
    // A process that started after the store was closed would never be ended.
    if (end.aborted) throw new ClientError('ended', '');
    const child = (this.#child ??= this.#start(place));
    const id = ++this.#questions;
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<unknown>();
    const giveUp = (): void => {
      if ((end.reason as Error).name === 'TimeoutError') child.kill('SIGKILL');
      fail(new ClientError('ended', ''));
    };
    end.addEventListener('abort', giveUp, { once: true });
    this.#waiting.set(id, { answer, fail });
    child.send({ id, ...question }, (error) => {
      if (error) fail(new ClientError('ended', error.message));
    });
    try {
      return await promise;
    } finally {
      end.removeEventListener('abort', giveUp);
      this.#waiting.delete(id);
    }
  }

  /** Ends the process. Running questions fail. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  #start(place: ClientPlace): ChildProcess {
    const child = fork(entryFile(import.meta.url, 'child.ts', 'store-client.mjs'), {
      execArgv: [],
      serialization: 'advanced',
      // The engine runs in the editor's executable, which acts as Node only with this variable.
      env: { ...childEnvironment(process.env), ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Whatever ends it, all pending questions fail, and the next one starts another process.
    const end = (how: string): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      for (const { fail } of this.#waiting.values()) fail(new ClientError('ended', how));
    };
    child.on('error', ({ message }) => end(message));
    child.once('exit', (code, signal) => end(signal ?? String(code)));
    child.on('message', (message) => {
      const answered = message as ClientAnswer;
      const waiting = this.#waiting.get(answered.id);
      if ('answer' in answered) waiting?.answer(answered.answer);
      else waiting?.fail(new ClientError(answered.fault, answered.said));
    });
    child.send(place);
    return child;
  }
}
