/** LanceDB's client in a process of its own, which is started with the first question. */
import { fork, type ChildProcess } from 'node:child_process';
import { entryFile } from '../../../concurrency/entry-file.ts';
import type { LanceAnswer, LanceFault, LancePlace, LanceQuestion } from './messages.ts';

/** What the client says, or whatever kept it from saying anything. */
export class LanceError extends Error {
  override readonly name = 'LanceError';
  readonly fault: LanceFault | 'ended';

  constructor(fault: LanceFault | 'ended', said: string) {
    super(said);
    this.fault = fault;
  }
}

interface Waiting {
  readonly answer: (answer: unknown) => void;
  readonly fail: (error: LanceError) => void;
}

export class LanceClient {
  readonly #place: LancePlace;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #questions = 0;

  constructor(place: LancePlace) {
    this.#place = place;
  }

  /**
   * @param end gives the question up; where it took too long, the process is given up with it
   * @throws LanceError
   */
  async ask(question: LanceQuestion, end: AbortSignal): Promise<unknown> {
    // Nobody would end a process that starts after the store was closed.
    if (end.aborted) throw new LanceError('ended', '');
    const child = (this.#child ??= this.#start());
    const id = ++this.#questions;
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<unknown>();
    const giveUp = (): void => {
      if ((end.reason as Error).name === 'TimeoutError') child.kill('SIGKILL');
      fail(new LanceError('ended', ''));
    };
    end.addEventListener('abort', giveUp, { once: true });
    this.#waiting.set(id, { answer, fail });
    child.send({ id, ...question }, (error) => {
      if (error) fail(new LanceError('ended', error.message));
    });
    try {
      return await promise;
    } finally {
      end.removeEventListener('abort', giveUp);
      this.#waiting.delete(id);
    }
  }

  /** Ends the process; questions under way fail. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  #start(): ChildProcess {
    const child = fork(entryFile(import.meta.url, 'child.ts', 'lancedb.mjs'), {
      execArgv: [],
      serialization: 'advanced',
      // The engine runs in the editor's own program, which is a Node only where it is told so.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Whatever ends it, nobody is left waiting, and the next question starts another.
    const end = (how: string): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      for (const { fail } of this.#waiting.values()) fail(new LanceError('ended', how));
    };
    child.once('error', ({ message }) => end(message));
    child.once('exit', (code, signal) => end(signal ?? String(code)));
    child.on('message', (message) => {
      const answered = message as LanceAnswer;
      const waiting = this.#waiting.get(answered.id);
      if ('answer' in answered) waiting?.answer(answered.answer);
      else waiting?.fail(new LanceError(answered.fault, answered.said));
    });
    child.send(this.#place);
    return child;
  }
}
